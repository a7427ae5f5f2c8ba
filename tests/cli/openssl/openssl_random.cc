// Prints random bytes as OpenSSL gives them, in a library context that nobody has configured: from
// its function for private ones, and from its generator itself. Shows whether an engine of a
// configuration file is in effect. Test only.

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <array>
#include <cstdio>

namespace {

using Bytes = std::array<unsigned char, 16>;

void print(const char* name, const Bytes& bytes) {
  std::printf("%s ", name);
  for (const unsigned char byte : bytes) {
    std::printf("%02x", byte);
  }
  std::printf("\n");
}

}  // namespace

int main() {
  OPENSSL_init_crypto(OPENSSL_INIT_LOAD_CONFIG, nullptr);
  OSSL_LIB_CTX* context = OSSL_LIB_CTX_new();
  Bytes bytes;
  if (EVP_RAND_generate(RAND_get0_private(context), bytes.data(), bytes.size(), 256, 0, nullptr,
                        0) != 1) {
    return 1;
  }
  print("generator", bytes);
  if (RAND_priv_bytes_ex(context, bytes.data(), bytes.size(), 256) != 1) {
    return 1;
  }
  print("function", bytes);
  OSSL_LIB_CTX_free(context);
  return 0;
}
