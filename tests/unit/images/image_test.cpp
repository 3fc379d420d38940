// Pictures as people, programs and attackers make them.
#include "images/image.hpp"
#include "tests/unit/images/pictures.hpp"
using namespace usershell::images;
using Colours = JpegStyle::Colours;
namespace {
ImageCheck check(std::string_view bytes, const DecodeLimits& limits = {}) {
    Permits permits{1, 0, {}};
    const auto user = UserId::parse("00000000-0000-4000-8000-000000000001").value();
    return check_image(permits.take(user), bytes, limits);
}
/// "image/png", or why not in one word.
std::string verdict(std::string_view bytes, const DecodeLimits& limits = {}) {
    const ImageCheck result = check(bytes, limits);
    if (result.ok()) return result.media_type;
    BOOST_TEST(result.media_type == "");
    const std::pair<const char*, const char*> words[] = {
        {"damaged", "damaged"},   {"at most 4,096", "too large"}, {"extra data", "trailing"},
        {"Animated", "animated"}, {"neither a PNG", "neither"},   {"kind of JPEG", "unusual"},
        {"much work", "complex"},
    };
    for (const auto& [part, word] : words)
        if (has(result.error.english(), part)) return word;
    return result.error.english();
}
bool passes(std::string_view bytes) { return verdict(bytes).starts_with("image/"); }
constexpr int grey = 0;
constexpr int rgb = 2;
constexpr int palette = 3;
constexpr int grey_alpha = 4;
constexpr int rgba = 6;
const std::pair<int, std::vector<int>> png_kinds[]{{grey, {1, 2, 4, 8, 16}},
                                                   {rgb, {8, 16}},
                                                   {palette, {1, 2, 4, 8}},
                                                   {grey_alpha, {8, 16}},
                                                   {rgba, {8, 16}}};
std::string small_png() { return png_picture(9, 7, rgb, 8); }
std::vector<std::string> with_chunk(const PngChunk& chunk) {
    auto early = png_chunks(small_png());
    early.insert(early.begin() + 1, chunk);
    auto late = png_chunks(small_png());
    late.insert(late.end() - 1, chunk);
    return {png_of(early), png_of(late)};
}
std::vector<JpegStyle> jpeg_kinds() {
    std::vector<JpegStyle> kinds;
    for (const Colours colours :
         {Colours::grey, Colours::ycbcr, Colours::rgb, Colours::cmyk, Colours::ycck})
        for (const bool progressive : {false, true})
            for (const bool subsampled : {false, true})
                for (const unsigned restart_interval : {0U, 2U})
                    kinds.push_back({.colours = colours,
                                     .progressive = progressive,
                                     .subsampled = subsampled,
                                     .restart_interval = restart_interval});
    return kinds;
}
JpegStyle in_scans(int scans, Colours colours = Colours::ycbcr) {
    return {.colours = colours,
            .progressive = true,
            .subsampled = false,
            .scans = scans,
            .plain = true};
}
std::vector<std::string> riders() {
    return {std::string(1, '\0'),   "\n",      "PK\x03\x04zip", "<html><script>", small_png(),
            jpeg_picture(8, 8, {}), "\xff\xd9"};
}
void check_that_no_cut_passes(const std::string& file) {
    BOOST_TEST(passes(file));
    for (std::size_t size = 0; size < file.size(); ++size)
        if (passes(std::string_view{file}.substr(0, size))) BOOST_ERROR("cut at " << size);
}

BOOST_AUTO_TEST_CASE(every_kind_of_png_passes) {
    const std::pair<unsigned, unsigned> sizes[] = {{1, 1}, {3, 1}, {1, 9}, {33, 17}};
    for (const auto& [colour_type, depths] : png_kinds)
        for (const int depth : depths)
            for (const bool interlaced : {false, true})
                for (const auto& [width, height] : sizes)
                    BOOST_TEST(verdict(png_picture(width, height, colour_type, depth,
                                                   interlaced)) == "image/png",
                               "colour type " << colour_type << ", depth " << depth);
}

BOOST_AUTO_TEST_CASE(every_kind_of_jpeg_passes_without_a_rider_and_not_cut) {
    for (const JpegStyle& style : jpeg_kinds())
        BOOST_TEST_CONTEXT("colours " << static_cast<int>(style.colours) << ", progressive "
                                      << style.progressive << ", subsampled " << style.subsampled
                                      << ", restarts " << style.restart_interval) {
            BOOST_TEST(verdict(jpeg_picture(1, 1, style)) == "image/jpeg");
            BOOST_TEST(verdict(jpeg_picture(17, 33, style)) == "image/jpeg");
            check_that_no_cut_passes(jpeg_picture(17, 9, style));
            for (const std::string& rider : riders())
                BOOST_TEST(verdict(jpeg_picture(16, 16, style) + rider) == "trailing");
        }
}

BOOST_AUTO_TEST_CASE(what_is_written_beside_the_pixels_is_no_reason_to_refuse) {
    const PngChunk chunks[] = {
        {"tEXt", "Comment\0<html><script>alert(1)</script>"s},
        {"iTXt", "XML:com.adobe.xmp\0\0\0\0\0<x:xmpmeta/>"s},
        {"zTXt", "Comment\0\0not deflated"s},
        {"iCCP", "sRGB\0\0not a profile"s},
        {"iCCP", ""},
        {"eXIf", "not Exif"},
        {"gAMA", big_endian(0)},
        {"gAMA", "too long for a gamma"},
        {"sRGB", "\x09"},
        {"cHRM", std::string(32, '\xff')},
        {"tIME", std::string(7, '\xff')},
        {"pHYs", "short"},
        {"sBIT", "\xff\xff\xff"},
        {"bKGD", "x"},
        {"hIST", "xx"},
        {"vpAg", "a program's own"},
        {"tEXt", ""},
    };
    for (const PngChunk& chunk : chunks)
        for (const std::string& file : with_chunk(chunk))
            BOOST_TEST(verdict(file) == "image/png", chunk.type);
    const std::pair<int, std::string> markers[] = {
        {marker_comment, "<html><script>alert(1)</script></html>"},
        {marker_comment, "PK\x03\x04 a ZIP's beginning"},
        {marker_comment, ""},
        {marker_app1, "Exif\0\0II*\0\x08\0\0\0\0\0\0\0\0\0"s},
        {marker_app1, "Exif\0\0broken"s},
        {marker_app2, "ICC_PROFILE\0\x01\x01not a profile"s},
        {marker_app2, "ICC_PROFILE\0\x09\x02"s},
        {marker_app1, std::string(65533, 'x')},
    };
    for (const auto& [marker, data] : markers)
        BOOST_TEST(verdict(jpeg_picture(16, 16, {.markers = {{marker, data}}})) == "image/jpeg",
                   data.substr(0, 30));
}

BOOST_AUTO_TEST_CASE(a_picture_is_what_its_bytes_are) {
    const std::string jpeg = jpeg_picture(8, 8, {});
    const std::string png = small_png();
    const std::string neither[] = {
        // cut before one can tell
        "", "\x89", "\x89PNG", "\xff", "\xff\xd8",
        // other formats
        "GIF89a\x01\0\x01\0"s, "RIFF\x24\0\0\0WEBPVP8 "s, "BM6\0"s, "\0\0\x01\0"s, "II*\0"s,
        "<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "<html><body>hello", "%PDF-1.7",
        "PK\x03\x04", std::string(1000, '\0'),
        // not from the first byte on
        "GIF89a" + png, "<html>" + jpeg, "\n" + png, png.substr(1), jpeg.substr(1)};
    for (const std::string& bytes : neither)
        BOOST_TEST(verdict(bytes) == "neither", bytes.substr(0, 20));
    BOOST_TEST(verdict("\xff\xd8\xff" + png) == "damaged");
    BOOST_TEST(verdict(png.substr(0, 8) + jpeg) == "damaged");
}

BOOST_AUTO_TEST_CASE(a_png_with_a_rider_or_cut_or_with_any_byte_changed_is_refused) {
    for (const std::string& rider : riders())
        BOOST_TEST(verdict(small_png() + rider) == "trailing");
    for (const std::string& file :
         {small_png(), png_picture(5, 5, palette, 4), png_picture(9, 9, rgba, 16, true),
          png_picture(1, 1, grey, 1)}) {
        check_that_no_cut_passes(file);
        for (std::size_t at = 0; at < file.size(); ++at)
            for (const int bits : {0x01, 0x80, 0xff}) {
                std::string changed = file;
                changed[at] = static_cast<char>(changed[at] ^ bits);
                if (passes(changed)) BOOST_ERROR("byte " << at << " changed");
            }
    }
}

BOOST_AUTO_TEST_CASE(a_png_that_is_right_by_its_checksums_and_wrong_inside_is_refused) {
    const auto good = png_chunks(small_png());
    BOOST_REQUIRE(good.size() == 3U);
    const PngChunk& header = good[0];
    const PngChunk& pixels = good[1];
    const PngChunk& end = good[2];
    const auto header_with = [&](std::size_t at, char value) {
        PngChunk changed = header;
        changed.data[at] = value;
        return changed;
    };
    BOOST_TEST(verdict(png_of(good)) == "image/png");
    const std::string half = pixels.data.substr(0, pixels.data.size() / 2);
    const std::string rest = pixels.data.substr(pixels.data.size() / 2);
    BOOST_TEST(verdict(png_of({header, {"IDAT", half}, {"IDAT", rest}, end})) == "image/png");
    const std::vector<PngChunk> wrong[] = {
        {},
        {end},
        {header, end},
        {pixels, end},
        {header, pixels},
        {header, {"IDAT", ""}, end},
        {header, {"IDAT", half}, end},
        {header, {"IDAT", "not deflated at all"}, end},
        {header, {"IDAT", half}, {"tEXt", std::string{"a\0b", 3}}, {"IDAT", rest}, end},
        {header, header, pixels, end},
        {header, {"ABCD", "a critical chunk that nobody knows"}, pixels, end},
        {header, {std::string{"A\0CD", 4}, ""}, pixels, end},
        {{"IHDR", header.data.substr(1)}, pixels, end},
        {{"IHDR", header.data + "x"}, pixels, end},
        {{"tEXt", "first"}, header, pixels, end},
        {header_with(3, 0), pixels, end},       // no width
        {header_with(7, 0), pixels, end},       // no height
        {header_with(7, 100), pixels, end},     // more rows than pixels
        {header_with(0, '\x80'), pixels, end},  // a negative width
        {header_with(8, 3), pixels, end},       // a depth of 3
        {header_with(9, palette), pixels, end}, // a palette that is not there
        {header_with(9, 1), pixels, end},       // no such colour type
        {header_with(10, 1), pixels, end},      // no such compression
        {header_with(11, 1), pixels, end},      // no such filter
        {header_with(12, 2), pixels, end},      // no such interlacing
    };
    for (const auto& chunks : wrong) {
        const std::string answer = verdict(png_of(chunks));
        BOOST_TEST((answer == "damaged" || answer == "too large"),
                   "row " << &chunks - wrong << ": " << answer);
    }
}

BOOST_AUTO_TEST_CASE(animated_pngs_are_refused) {
    for (const std::string& data : {big_endian(2) + big_endian(0), std::string{}})
        for (const std::string& file : with_chunk({"acTL", data}))
            BOOST_TEST(verdict(file) == "animated");
}

BOOST_AUTO_TEST_CASE(sides_end_at_4096) {
    const std::tuple<unsigned, unsigned, bool> table[] = {{4096, 1, true},    {1, 4096, true},
                                                          {4097, 1, false},   {1, 4097, false},
                                                          {4096, 4096, true}, {4097, 4097, false}};
    for (const auto& [width, height, fits] : table) BOOST_TEST_CONTEXT(width << " by " << height) {
            BOOST_TEST(verdict(png_picture(width, height, grey, 1, false, true)) ==
                       (fits ? "image/png" : "too large"));
            BOOST_TEST(verdict(jpeg_picture(width, height, {.plain = true})) ==
                       (fits ? "image/jpeg" : "too large"));
        }
}

BOOST_AUTO_TEST_CASE(sizes_that_the_header_claims_and_the_pixels_do_not_fill) {
    const std::tuple<unsigned, unsigned, const char*> table[] = {
        {0, 16, "damaged"},     {16, 0, "damaged"},     {16, 4096, "damaged"},
        {5000, 1, "too large"}, {1, 5000, "too large"}, {65535, 65535, "too large"}};
    const std::string jpeg = jpeg_picture(16, 16, {});
    auto chunks = png_chunks(small_png());
    for (const auto& [width, height, answer] : table)
        BOOST_TEST_CONTEXT(width << " by " << height) {
            BOOST_TEST(verdict(with_dimensions(jpeg, width, height)) == answer);
            chunks[0].data.replace(0, 8, big_endian(width) + big_endian(height));
            BOOST_TEST(verdict(png_of(chunks)) == answer);
        }
    chunks[0].data.replace(0, 8, std::string(8, '\xff'));
    BOOST_TEST(verdict(png_of(chunks)) == "too large");
}

BOOST_AUTO_TEST_CASE(scans_end_at_a_hundred) {
    BOOST_TEST(verdict(jpeg_picture(24, 24, in_scans(100))) == "image/jpeg");
    BOOST_TEST(verdict(jpeg_picture(24, 24, in_scans(101))) == "complex");
}

// Small files of much work.
BOOST_AUTO_TEST_CASE(decoding_ends_with_its_work) {
    constexpr std::size_t side = 4096;
    BOOST_TEST(verdict(heavy_png()) == "image/png"); // 128 MiB of rows: as much as its size allows
    BOOST_TEST(verdict(png_with_data_behind_its_rows()) == "complex"); // 64 MiB
    BOOST_TEST(verdict(jpeg_picture(side, side, in_scans(91))) == "complex");
    const std::string progressive = jpeg_picture(side, side, {.progressive = true, .plain = true});
    BOOST_TEST(verdict(progressive) == "image/jpeg"); // ten scans, 4:2:0
    const std::string file = jpeg_picture(16, 16, in_scans(3, Colours::grey));
    BOOST_TEST(verdict(file, {.blocks = 12}) == "image/jpeg"); // four blocks, three times
    BOOST_TEST(verdict(file, {.blocks = 11}) == "complex");
}

BOOST_AUTO_TEST_CASE(bytes_before_a_marker_are_skipped_as_browsers_do) {
    for (const bool progressive : {false, true}) {
        const std::string file = jpeg_picture(16, 16, {.progressive = progressive});
        for (const std::string_view marker :
             {"\xff\xe0", "\xff\xdb", "\xff\xc4", "\xff\xda", "\xff\xd9"})
            for (const std::string& extra :
                 {std::string(1, 'x'), std::string(18, '\0'), std::string(3000, 'x')}) {
                std::string changed = file;
                const std::size_t at = changed.rfind(marker);
                if (at == std::string::npos || at == 2) continue; // the first three bytes say JPEG
                BOOST_TEST(verdict(changed.insert(at, extra)) == "image/jpeg",
                           at << " of " << file.size());
            }
    }
}

BOOST_AUTO_TEST_CASE(decoding_stays_within_its_memory) {
    const std::pair<Colours, const char*> table[] = {
        {Colours::cmyk, "complex"},    // 134 MB
        {Colours::ycbcr, "complex"},   // 4:4:4, 100 MB
        {Colours::grey, "image/jpeg"}, // 33 MB
    };
    for (const auto& [colours, expected] : table)
        BOOST_TEST(verdict(jpeg_picture(4096, 4096, in_scans(2, colours))) == expected,
                   static_cast<int>(colours));
}

BOOST_AUTO_TEST_CASE(a_jpeg_that_no_browser_shows_is_refused_and_no_oddity_of_old_programs) {
    for (const bool progressive : {false, true}) {
        const JpegStyle style{.progressive = progressive, .arithmetic = true};
        BOOST_TEST(verdict(jpeg_picture(16, 16, style)) == "unusual", progressive);
    }
    std::string file = jpeg_picture(16, 16, {});
    const std::size_t jfif = file.find("JFIF");
    BOOST_REQUIRE(jfif != std::string::npos);
    file[jfif + 5] = 2; // a major version that there never was
    BOOST_TEST(verdict(file) == "image/jpeg");
}
} // namespace
