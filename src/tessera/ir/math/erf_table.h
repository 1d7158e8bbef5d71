/// A table of erf in sixteen intervals of [0, 6]: a centre of each, erf there, and a polynomial around it.
#pragma once

namespace tessera::math {

/// Each row has one number per interval: the centre c, erf(c), then the coefficients of (erf(c + d) - erf(c)) / d.
///
/// The first interval is centred at 0 and stores erf(d) / d - 1 instead. The other centres were chosen so that erf(c)
/// and the first coefficient are within 2^-58 of the stored numbers.
alignas(64) inline constexpr double erf_rows[13][16] = {
    {0.0, 0x1.60251dfbfe897p-2, 0x1.2b197e49adc64p-1, 0x1.aad69840fc5fap-1, 0x1.17c095a008420p+0, 0x1.5c82b1038500dp+0,
     0x1.a45a106556bddp+0, 0x1.efc5736b14f79p+0, 0x1.202c45ee99c63p+1, 0x1.4ad9e4962c642p+1, 0x1.788e39df5e319p+1,
     0x1.aaaaeba68c5bep+1, 0x1.e29331a9bc8a4p+1, 0x1.113a179733168p+2, 0x1.36b575b192eaep+2, 0x1.6551b86a21d88p+2},
    {0.0, 0x1.7e3acabbf7b99p-2, 0x1.2ebca801decd7p-1, 0x1.85efe7c7ff1a3p-1, 0x1.c1696234f9095p-1, 0x1.e4406c47824b6p-1,
     0x1.f5a4fff868338p-1, 0x1.fcd7b2dab36cbp-1, 0x1.ff418a3207953p-1, 0x1.ffde58a160995p-1, 0x1.fffbd5f684de9p-1,
     0x1.ffffae84bed33p-1, 0x1.fffffcbc73f99p-1, 0x1.fffffff28e7ddp-1, 0x1.fffffffff174cp-1, 0x1.fffffffffffe6p-1},
    {0x1.06eba8214db69p-3, 0x1.00a5698ccdad4p+0, 0x1.9ab0fae4d86cep-1, 0x1.2054567cbbe10p-1, 0x1.5e0d3a1a6ac4bp-2,
     0x1.6a27f1a0cd9b3p-3, 0x1.37cec89bb7dc9p-4, 0x1.b2966ecb410a3p-6, 0x1.d13daab6c8c1fp-8, 0x1.731022bcbb471p-10,
     0x1.9c96616606413p-13, 0x1.1aeaa001fcbc2p-16, 0x1.96c73cc21c8acp-21, 0x1.d71f077ca2c2bp-27, 0x1.2031ab0cbb3bdp-34,
     0x1.26d7545a80fafp-45},
    {-0x1.9e2e5f8515710p-48, -0x1.6108a7193a776p-2, -0x1.dfd59aeb17db5p-2, -0x1.e0be09e7219a1p-2, -0x1.7e87c0d6e48fdp-2,
     -0x1.ed072f29e3d62p-3, -0x1.fffcf3ca5b19ap-4, -0x1.a4d008f6d0a85p-5, -0x1.05daeadf1bbd5p-6, -0x1.df8ea0c8c75f1p-9,
     -0x1.2f710bdea9e6cp-11, -0x1.d787527ec1722p-15, -0x1.7f6681dc886c4p-19, -0x1.f6d2fff76c2d5p-25,
     -0x1.5dc88478656b9p-32, -0x1.9b8fb63fe4f82p-43},
    {-0x1.812746b033295p-2, -0x1.0542092c597d0p-2, -0x1.5baf970a543b0p-4, 0x1.2bde1060665edp-4, 0x1.43fecf57af361p-3,
     0x1.46be53e77e051p-3, 0x1.c8852796e1a22p-4, 0x1.d6de24f73366fp-5, 0x1.623f9e4aab167p-6, 0x1.7e42acae8eba2p-8,
     0x1.185e25c42ed40p-10, 0x1.f4587375e8a05p-14, 0x1.d0df54a018143p-18, 0x1.5bf56e36e93d0p-23, 0x1.1504c07b090fbp-30,
     0x1.78c8900c654bap-41},
    {-0x1.318bf7e68ec25p-34, 0x1.4533458139558p-3, 0x1.72aad33f1b969p-3, 0x1.01ff549d93ef0p-3, 0x1.37f7cc0450cbfp-5,
     -0x1.d0884f734b406p-6, -0x1.9847c3cf67ba2p-5, -0x1.3bac03097bb17p-5, -0x1.377bdcd2e23f9p-6, -0x1.9e1a33a3407abp-8,
     -0x1.69d333c682c98p-10, -0x1.79a958f619477p-13, -0x1.9634ae0b6301dp-17, -0x1.5e6c276def55bp-22,
     -0x1.41a2e41804c6ep-29, -0x1.fc5579ac4fd67p-40},
    {0x1.ce2f224771087p-4, 0x1.c015d3968442dp-5, -0x1.13b12e602d43bp-6, -0x1.060714c9f7841p-4, -0x1.06946f8396346p-4,
     -0x1.099cb433292e4p-5, -0x1.703c46ad80724p-11, 0x1.9d17262225e75p-7, 0x1.5c755f1ff1381p-7, 0x1.3977630a218a8p-8,
     0x1.55a9889740980p-10, 0x1.ac7f7e5e0f943p-13, 0x1.0f6c5986ea44dp-16, 0x1.111b0b95f96b8p-21, 0x1.2386a3f5eddb2p-28,
     0x1.0df880fe3d807p-38},
    {-0x1.a8a9bd6996795p-25, -0x1.8e3e9a38f608ep-5, -0x1.7089435735302p-5, -0x1.0322b01f48f9ap-6, 0x1.b06a173a52ac7p-7,
     0x1.6cf07ed413c80p-6, 0x1.c0188428d8b97p-7, 0x1.18356d9815f2bp-9, -0x1.7d81201f4120fp-9, -0x1.3f4e2be1c252ep-9,
     -0x1.dd1a9150792fcp-11, -0x1.776669958ada2p-13, -0x1.1ef04a7bb5cd4p-16, -0x1.55ef0d7434177p-21,
     -0x1.ad1cb53d3b0bap-28, -0x1.d81a11a8b4e3cp-38},
    {-0x1.b82a47c6e883bp-6, -0x1.0e3aeee3a6584p-7, 0x1.79543043c2e24p-7, 0x1.37461e943896cp-6, 0x1.6d2463cd309bfp-7,
     -0x1.eee818ff8a397p-11, -0x1.997b734859c64p-8, -0x1.123b50eaba15fp-8, -0x1.59dc65053cafep-11,
     0x1.5a2872625c414p-11, 0x1.dca4d8f0f93cep-12, 0x1.ff00f25ba52c3p-14, 0x1.e8eab8fb4a391p-17, 0x1.600eaf911a10ep-21,
     0x1.06d34721d0bdap-27, 0x1.558ef079d14b2p-37},
    {-0x1.4c79c63136f74p-18, 0x1.6c9461c559346p-7, 0x1.04c786c2002dep-7, -0x1.2b0057c17d892p-11, -0x1.80d27b6f22bcap-8,
     -0x1.23c07861dce83p-8, -0x1.7f494f2885147p-12, 0x1.9afb5f493eeb5p-10, 0x1.04d8361905a86p-10, 0x1.9021c518bd322p-14,
     -0x1.242d64eba0250p-13, -0x1.08fa3af03ea6dp-14, -0x1.51d1f85359f01p-17, -0x1.2e15e2abe1b8fp-21,
     -0x1.0e8deab20f70ep-27, -0x1.919f5699f139bp-37},
    {0x1.57fb9f69c7688p-8, 0x1.8aee3e4a892abp-11, -0x1.ace276589c8c8p-9, -0x1.d65bc3c4874f9p-9, -0x1.8475f00037092p-11,
     0x1.9127df35167c0p-10, 0x1.616f8110c2fa0p-10, 0x1.23596e6d314c4p-13, -0x1.8373a874dcb87p-12,
     -0x1.801d77015954ap-13, 0x1.66f96e39fb1ccp-19, 0x1.838b8ec90370dp-16, 0x1.77fcf9415ce86p-18, 0x1.b4352dba727eep-22,
     0x1.e3dbd6ef87bd6p-28, 0x1.c6fee674f5664p-37},
    {-0x1.326f78393e217p-14, -0x1.08842633bcd6cp-9, -0x1.0da9fde4b6e98p-10, 0x1.6ae41aaa37cadp-11,
     0x1.3a1752a26b686p-10, 0x1.8a169b010e8fbp-12, -0x1.86f7297682940p-12, -0x1.5b5bc25692cf4p-12,
     -0x1.968aed6c2d53ep-17, 0x1.42f6b486fbef0p-14, 0x1.895b8bd407d60p-16, -0x1.0dc83afb8b49cp-18,
     -0x1.48a7c06115c17p-19, -0x1.1447c7b5b19c2p-22, -0x1.a427899139facp-28, -0x1.24430e3e6b019p-36},
    {-0x1.8a3f7f1e6b8f4p-11, 0x1.abff331738a9ep-19, 0x1.4feef67a33cbep-11, 0x1.f8a190eddc7a8p-12,
     -0x1.da87fb129d355p-14, -0x1.65a6562c4dd3cp-12, -0x1.c3789ab7fbfc0p-14, 0x1.890ae600ea3c1p-14,
     0x1.0d9395a499a2bp-14, -0x1.af148be473fcep-18, -0x1.a88d7ac69e63cp-17, -0x1.50252d38b800ap-20,
     0x1.8fd940dccb7a4p-21, 0x1.1ae540c49b423p-23, 0x1.144d5fc84eea7p-28, 0x1.bb9babaee44bap-37},
};

}  // namespace tessera::math
