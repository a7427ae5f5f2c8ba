#pragma once

namespace mehler {

// Who may see the figures of an evaluation: the same words in every report.

/// The program sees a table and cannot know where it comes from: what it says must be true of the
/// private table too.
inline constexpr const char* kMayBeSharedIf =
    "the synthetic table was made from this release alone, or without private records";
inline constexpr const char* kFiguresBesideRelease =
    "These figures compare a table with the release, exactly. They may be shared if that table was "
    "made from this release alone, or without private records: then they are post-processing of "
    "the release. Of any other table, the private one or one that another program made from it, "
    "they tell as much as the table does, and the release's guarantee does not cover them.";

/// Of figures beside real records.
inline constexpr const char* kFiguresOfRealRecords =
    "These figures were computed from real records, without noise. No privacy guarantee covers "
    "them, neither that of a release nor any other: they are for the owner of the data and must "
    "not be published.";

}  // namespace mehler
