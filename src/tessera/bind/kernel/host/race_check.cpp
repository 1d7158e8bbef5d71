#include "tessera/bind/kernel/host/race_check.h"

#include <algorithm>

#include "tessera/base/format.h"

namespace tessera::bind {

namespace {

constexpr size_t most_races = 16;

}  // namespace

void RaceCheck::begin_loop() {
  elements_.clear();
  left_out_.clear();
}

void RaceCheck::leave_out(uintptr_t address, int64_t bytes) {
  left_out_.emplace_back(address, address + static_cast<uintptr_t>(bytes));
}

bool RaceCheck::is_left_out(uintptr_t address) const {
  const auto has = [&](const auto& range) { return address >= range.first && address < range.second; };
  return std::ranges::any_of(left_out_, has);
}

void RaceCheck::read(uintptr_t address, size_t site, std::span<const int64_t> index) {
  if (is_left_out(address)) return;
  Element& element = elements_[address];
  if (element.writer.is_there && element.writer.iteration != iteration_)
    note(element.writer, "written", {address, site, index}, "read");
  const bool is_first = !element.reader.is_there || element.reader.iteration == iteration_;
  Access& reader = is_first ? element.reader : element.other_reader;
  if (!reader.is_there) reader = {true, iteration_, site};
}

void RaceCheck::write(uintptr_t address, int64_t bits, size_t site, std::span<const int64_t> index) {
  if (is_left_out(address)) return;
  Element& element = elements_[address];
  for (const Access* reader : {&element.reader, &element.other_reader})
    if (reader->is_there && reader->iteration != iteration_) note(*reader, "read", {address, site, index}, "written");
  if (element.writer.is_there && element.writer.iteration != iteration_ && element.bits != bits)
    note(element.writer, "written", {address, site, index}, "written");
  element.writer = {true, iteration_, site};
  element.bits = bits;
}

void RaceCheck::note(const Access& before, const char* verb, const Told& now, const char* own_verb) {
  if (races_.size() == most_races || !told_.emplace(before.site, now.site).second) return;
  const auto place = [&](size_t number) {
    return format("line {} of {} (file {})", sites_[number].line, sites_[number].function, sites_[number].file);
  };
  const std::string& array = sites_[now.site].parts[0].text;
  std::string element;
  for (int64_t k : now.index) element += format("{}{}", element.empty() ? "" : ", ", k);
  element =
      now.index.empty() ? format("element {} of {}", position_(now.address), array) : format("{}[{}]", array, element);
  races_.push_back(format("race on {}: {} by iteration {} in {}, {} by iteration {} in {}", element, verb,
                          before.iteration, place(before.site), own_verb, iteration_, place(now.site)));
}

}  // namespace tessera::bind
