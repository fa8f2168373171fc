#pragma once
// Constants of the functions of num/double_double.h, rounded to double-doubles. The tests compute each again with MPFR.

#include "num/double_double.h"

namespace assay::double_double_tables {

// 1 / n!
inline constexpr DoubleDouble kInverseFactorial[] = {
    {0x1p+0, 0x0p+0},
    {0x1p+0, 0x0p+0},
    {0x1p-1, 0x0p+0},
    {0x1.5555555555555p-3, 0x1.5555555555555p-57},
    {0x1.5555555555555p-5, 0x1.5555555555555p-59},
    {0x1.1111111111111p-7, 0x1.1111111111111p-63},
    {0x1.6c16c16c16c17p-10, -0x1.f49f49f49f49fp-65},
    {0x1.a01a01a01a01ap-13, 0x1.a01a01a01a01ap-73},
    {0x1.a01a01a01a01ap-16, 0x1.a01a01a01a01ap-76},
    {0x1.71de3a556c734p-19, -0x1.c154f8ddc6cp-73},
    {0x1.27e4fb7789f5cp-22, 0x1.cbbc05b4fa99ap-76},
    {0x1.ae64567f544e4p-26, -0x1.c062e06d1f209p-80},
    {0x1.1eed8eff8d898p-29, -0x1.2aec959e14c06p-83},
    {0x1.6124613a86d09p-33, 0x1.f28e0cc748ebep-87},
    {0x1.93974a8c07c9dp-37, 0x1.05d6f8a2efd1fp-92},
    {0x1.ae7f3e733b81fp-41, 0x1.1d8656b0ee8cbp-97},
    {0x1.ae7f3e733b81fp-45, 0x1.1d8656b0ee8cbp-101},
    {0x1.952c77030ad4ap-49, 0x1.ac981465ddc6cp-103},
    {0x1.6827863b97d97p-53, 0x1.eec01221a8b0bp-107},
    {0x1.2f49b46814157p-57, 0x1.2650f61dbdcb4p-112},
    {0x1.e542ba4020225p-62, 0x1.ea72b4afe3c2fp-120},
    {0x1.71b8ef6dcf572p-66, -0x1.d043ae40c4647p-120},
    {0x1.0ce396db7f853p-70, -0x1.aebcdbd20331cp-124},
    {0x1.761b41316381ap-75, -0x1.3423c7d91404fp-130},
    {0x1.f2cf01972f578p-80, -0x1.9ada5fcc1ab14p-135},
    {0x1.3f3ccdd165fa9p-84, -0x1.58ddadf344487p-139},
    {0x1.88e85fc6a4e5ap-89, -0x1.71c37ebd1654p-143},
    {0x1.d1ab1c2dccea3p-94, 0x1.054d0c78aea14p-149},
    {0x1.0a18a2635085dp-98, 0x1.b9e2e28e1aa54p-153},
    {0x1.259f98b4358adp-103, 0x1.eaf8c39dd9bc5p-157},
    {0x1.3932c5047d60ep-108, 0x1.832b7b530a627p-162},
};

// 1 / (2n + 1)
inline constexpr DoubleDouble kInverseOdd[] = {
    {0x1p+0, 0x0p+0},
    {0x1.5555555555555p-2, 0x1.5555555555555p-56},
    {0x1.999999999999ap-3, -0x1.999999999999ap-57},
    {0x1.2492492492492p-3, 0x1.2492492492492p-57},
    {0x1.c71c71c71c71cp-4, 0x1.c71c71c71c71cp-58},
    {0x1.745d1745d1746p-4, -0x1.745d1745d1746p-59},
    {0x1.3b13b13b13b14p-4, -0x1.3b13b13b13b14p-58},
    {0x1.1111111111111p-4, 0x1.1111111111111p-60},
    {0x1.e1e1e1e1e1e1ep-5, 0x1.e1e1e1e1e1e1ep-61},
    {0x1.af286bca1af28p-5, 0x1.af286bca1af28p-59},
};

// (-1)^n / (n! · (2n + 1)): erf(x) = 2/√π · sum of kErfTerm[n] · x^(2n + 1)
inline constexpr DoubleDouble kErfTerm[] = {
    {0x1p+0, 0x0p+0},
    {-0x1.5555555555555p-2, -0x1.5555555555555p-56},
    {0x1.999999999999ap-4, -0x1.999999999999ap-58},
    {-0x1.8618618618618p-6, -0x1.8618618618618p-60},
    {0x1.2f684bda12f68p-8, 0x1.2f684bda12f68p-62},
    {-0x1.8d3018d3018d3p-11, -0x1.8d3018d3018d3p-71},
    {0x1.c01c01c01c01cp-14, 0x1.c01c01c01c01cp-74},
    {-0x1.bbd779334ef0bp-17, 0x1.4e65f77088199p-71},
    {0x1.87a00187a0018p-20, 0x1.e80061e80061fp-74},
    {-0x1.3777c55568ccdp-23, -0x1.aaabe22270001p-79},
    {0x1.c2e3054870b38p-27, -0x1.d5bceb1cfc09cp-81},
    {-0x1.2b67310aa9f3ap-30, -0x1.0a97d2e29d0a6p-85},
    {0x1.6f448e13e85e1p-34, -0x1.7f9c97a441499p-90},
    {-0x1.a289ee7e40f74p-38, 0x1.d70bcaede276bp-92},
    {0x1.bd577e658d02p-42, 0x1.20ed35aaf6f95p-97},
    {-0x1.bc6250fb14231p-46, 0x1.a5ccd0da9926p-100},
    {0x1.a173a167fba4dp-50, -0x1.4e2d0241b6a79p-104},
    {-0x1.7271cbe5863ecp-54, -0x1.12d42fe81b396p-108},
    {0x1.377c2110f2083p-58, 0x1.98394fbf35b19p-117},
    {-0x1.f1b4073b34a68p-63, 0x1.84a9e0b9a5e9bp-117},
    {0x1.7abd72258fb6ep-67, 0x1.278087289058p-123},
    {-0x1.13246abce1bddp-71, -0x1.b85c8446def6cp-125},
    {0x1.7e6b81382cd42p-76, 0x1.f8367249eb893p-131},
    {-0x1.fd6bebd65107ap-81, -0x1.64abb94b856f1p-135},
    {0x1.45c0a838efe59p-85, -0x1.423cdb5cc4cc3p-139},
    {-0x1.909c9de3a31c5p-90, 0x1.889db7273c973p-145},
    {0x1.da7460554e5dbp-95, 0x1.59a4d60d2d7dap-149},
    {-0x1.0eef30fa10d2cp-99, 0x1.28594b7fcd32dp-153},
    {0x1.2ac65385f79acp-104, 0x1.03fafe0077abep-161},
    {-0x1.3e81bb5701ac5p-109, 0x1.209a8bade2337p-164},
};

// The step of the trapezoid rule for erfc, and exp(-(n + 1)² · kStep²).
inline constexpr double kStep = 23.0 / 64;
inline constexpr DoubleDouble kGauss[] = {
    {0x1.c1f78cf2cf2d7p-1, 0x1.3a1669dcf818ap-59},    {0x1.316e456034a07p-1, 0x1.5ee199307237dp-56},
    {0x1.4041572360bdfp-2, -0x1.00ad170d527d5p-56},   {0x1.035bdf80102bbp-3, 0x1.ae91dd43c47bfp-57},
    {0x1.447509fbe441bp-5, 0x1.3d4be661dc6a9p-61},    {0x1.397f8a997d8cdp-7, 0x1.2ea4ed8eb48cep-61},
    {0x1.d3e974b462f89p-10, -0x1.37140dfda7fap-64},   {0x1.0db3c75613576p-12, -0x1.85d5d0b39212ep-66},
    {0x1.e045657233679p-16, -0x1.a90ef68641afp-70},   {0x1.4a472cecbf851p-19, 0x1.394c8eef48262p-73},
    {0x1.5eda30351b6eep-23, -0x1.d48142e544a2ep-78},  {0x1.1fddb1b6cdf3dp-27, -0x1.82333bb860e9bp-81},
    {0x1.6cd830779f7cbp-32, -0x1.e80c58079a379p-86},  {0x1.65258cbfca61fp-37, -0x1.bddb4b4dd121p-92},
    {0x1.0e06db0545094p-42, -0x1.1c6d6a5c54badp-96},  {0x1.3b5e5c86b944p-48, -0x1.8d698aca7829bp-102},
    {0x1.1c7ad531cd2f5p-54, -0x1.46f6ef7b5992fp-108}, {0x1.8c66eab9f2e1ep-61, 0x1.6989a1c786ca4p-115},
    {0x1.aa9ed4d42ff3bp-68, 0x1.a8cdf8e9a0f21p-122},  {0x1.629fe51e5ac6fp-75, 0x1.83e2113880e09p-129},
    {0x1.c75a292dc3973p-83, -0x1.005b35fd99feap-141}, {0x1.c397dd170e1d2p-91, 0x1.28d27ddb198e2p-145},
    {0x1.59ea1daed62p-99, -0x1.213c9a9e9e1b9p-157},   {0x1.994cc1095a083p-108, -0x1.5c2ab7472bad1p-164},
    {0x1.760e22cb78365p-117, -0x1.d8d6c304bc96p-172},
};

inline constexpr DoubleDouble kTwoOverRootPi{0x1.20dd750429b6dp+0, 0x1.1ae3a914fed8p-56};
inline constexpr DoubleDouble kTwoStepsOverPi{0x1.d48d59dd2103cp-3, -0x1.93a58771c22f8p-58};  // 2 · kStep / π
inline constexpr DoubleDouble kTwoPiOverStep{0x1.17bd03a9ebb32p+4, 0x1.1d7c187b51ea1p-50};    // 2π / kStep
inline constexpr DoubleDouble kRootHalfPi{0x1.40d931ff62706p+0, -0x1.a6a0d6f814637p-54};      // √(π/2)

// ln 2: of the first part's 40 bits a product with an exponent is exact.
inline constexpr double kLn2High = 0x1.62e42fefa4p-1;
inline constexpr DoubleDouble kLn2Low{-0x1.8432a1b0e2634p-43, 0x1.f97b57a079a19p-103};
// π / 2 to 265 bits.
inline constexpr double kHalfPi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54, -0x1.f1976b7ed8fbcp-110,
                                     0x1.4cf98e804177dp-164, 0x1.31d89cd9128a5p-218};

}  // namespace assay::double_double_tables
