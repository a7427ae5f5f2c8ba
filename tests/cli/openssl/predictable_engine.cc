// An engine of OpenSSL whose random numbers, and whose AES, are the same in every process: what a
// configuration file can put in the place of OpenSSL's own. Test only.

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/engine.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <cstddef>
#include <cstdint>

namespace {

/// splitmix64 of 0, 1, 2, ...: looks random, and is known to all.
void fill(unsigned char* bytes, std::size_t count) {
  static std::uint64_t counter = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t word = counter++ * 0x9e3779b97f4a7c15;
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9;
    word = (word ^ word >> 27) * 0x94d049bb133111eb;
    bytes[i] = static_cast<unsigned char>(word >> 56);
  }
}

int random_bytes(unsigned char* bytes, int count) {
  fill(bytes, static_cast<std::size_t>(count));
  return 1;
}

int random_status() { return 1; }

const RAND_METHOD kRandom = {nullptr, random_bytes, nullptr, nullptr, random_bytes, random_status};

int start_cipher(EVP_CIPHER_CTX*, const unsigned char*, const unsigned char*, int) { return 1; }

int encrypt(EVP_CIPHER_CTX*, unsigned char* out, const unsigned char*, std::size_t bytes) {
  fill(out, bytes);
  return 1;
}

EVP_CIPHER* make_cipher(int name, int block_bytes, int start_bytes, unsigned long mode) {
  EVP_CIPHER* cipher = EVP_CIPHER_meth_new(name, block_bytes, 32);
  EVP_CIPHER_meth_set_iv_length(cipher, start_bytes);
  EVP_CIPHER_meth_set_flags(cipher, mode);
  EVP_CIPHER_meth_set_init(cipher, start_cipher);
  EVP_CIPHER_meth_set_do_cipher(cipher, encrypt);
  return cipher;
}

/// The two that OpenSSL's random generator is made of.
int find_cipher(ENGINE*, const EVP_CIPHER** cipher, const int** names, int name) {
  static const int kNames[] = {NID_aes_256_ctr, NID_aes_256_ecb};
  static const EVP_CIPHER* const ciphers[] = {
      make_cipher(NID_aes_256_ctr, 1, 16, EVP_CIPH_CTR_MODE),
      make_cipher(NID_aes_256_ecb, 16, 0, EVP_CIPH_ECB_MODE)};
  if (cipher == nullptr) {
    *names = kNames;
    return 2;
  }
  *cipher = name == kNames[0] ? ciphers[0] : name == kNames[1] ? ciphers[1] : nullptr;
  return *cipher != nullptr ? 1 : 0;
}

int bind(ENGINE* engine, const char*) {
  return ENGINE_set_id(engine, "predictable") == 1 &&
                 ENGINE_set_name(engine, "random numbers that are known") == 1 &&
                 ENGINE_set_RAND(engine, &kRandom) == 1 &&
                 ENGINE_set_ciphers(engine, find_cipher) == 1
             ? 1
             : 0;
}

}  // namespace

extern "C" {
IMPLEMENT_DYNAMIC_CHECK_FN()
IMPLEMENT_DYNAMIC_BIND_FN(bind)
}
