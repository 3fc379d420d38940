#include "app/rounds.hpp"

#include "base/log.hpp"

#include <exception>

namespace usershell {

using std::chrono::milliseconds;

Rounds::Rounds(std::string name, std::function<milliseconds()> round, milliseconds after_trouble)
    : name_{std::move(name)},
      round_{std::move(round)},
      after_trouble_{after_trouble},
      thread_{[this] { run(); }} {}

Rounds::~Rounds() {
    {
        const std::scoped_lock lock{mutex_};
        stop_ = true;
    }
    stopping_.notify_all();
    thread_.join();
}

void Rounds::run() {
    std::unique_lock lock{mutex_};
    while (!stop_) {
        lock.unlock();
        const milliseconds pause = one_round();
        lock.lock();
        stopping_.wait_for(lock, pause, [this] { return stop_; });
    }
}

milliseconds Rounds::one_round() {
    try {
        return round_();
    } catch (const std::exception& error) {
        log(Level::warning, name_, {{"error", error.what()}});
        return after_trouble_;
    }
}

} // namespace usershell
