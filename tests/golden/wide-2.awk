BEGIN {
  for (c = 1; c <= 20; ++c) printf "x%d,", c
  print "y"
  for (i = 0; i < 240; ++i) {
    a = (i * 37) % 101; b = (i * 53) % 89
    for (c = 1; c <= 20; ++c) printf "%d,", ((c % 2 ? a : b) + (i * c * 7) % 31) % 32
    print (a > 50 ? "yes" : "no")
  }
}
