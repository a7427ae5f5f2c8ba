"""Mehler: synthetic tables with a proven differential-privacy guarantee. So far: mehler.evaluation."""
