BEGIN {
  print "score,visit,ward,outcome"
  split("north,south,east", ward, ",")
  for (i = 0; i < 120; ++i) {
    w = i % 3; ill = (i % 2 == 0) != (w == 1)
    score = i % 9 == 0 ? "" : i % 2 == 0 ? "5.0" : (i * 13) % 101 / 10
    printf "%s,2024-%02d-%02d,%s,%s\n", score, 1 + i % 12, 1 + (i * 7) % 28, ward[1 + w], ill ? "ill" : "well"
  }
}
