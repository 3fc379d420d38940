#include "base/build_id.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include <elf.h>
#include <link.h>

namespace usershell {
namespace {

std::size_t padded(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

/// The id among the notes of a segment; empty when it is not there.
std::string_view find_id(std::string_view notes) {
    while (notes.size() > sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) header{};
        std::memcpy(&header, notes.data(), sizeof header);
        const std::size_t id_at = sizeof header + padded(header.n_namesz);
        if (header.n_type == NT_GNU_BUILD_ID) return notes.substr(id_at, header.n_descsz);
        notes.remove_prefix(std::min(notes.size(), id_at + padded(header.n_descsz)));
    }
    return {};
}

/// Called for each object that is loaded, the program first; ends the walk there.
int read_program(dl_phdr_info* object, std::size_t, void* into) {
    for (ElfW(Half) i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)& segment = object->dlpi_phdr[i];
        if (segment.p_type != PT_NOTE) continue;
        // An address is a number to the loader. NOLINTNEXTLINE(performance-no-int-to-ptr)
        const auto* notes = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
        const std::string_view id = find_id({notes, segment.p_memsz});
        if (!id.empty()) *static_cast<std::string*>(into) = hex(id);
    }
    return 1;
}

} // namespace

const std::string& build_id() {
    static const std::string id = [] {
        std::string found;
        dl_iterate_phdr(read_program, &found);
        if (found.empty()) throw Error{"This program was linked without a build id."};
        return found;
    }();
    return id;
}

} // namespace usershell
