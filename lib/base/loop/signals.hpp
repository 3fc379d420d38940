// Two signals for tasks: a Gate, which holds a task back while it is closed (back-pressure), and a
// Departure, which tells that the client has gone (cancellation). In the loop's thread only.
#pragma once

#include "base/loop/loop.hpp"

#include <algorithm>
#include <coroutine>
#include <utility>
#include <vector>

namespace usershell {

/// Open at first. At most one task waits at it at a time.
class Gate {
public:
    explicit Gate(Loop& loop) : loop_{loop} {}
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;

    bool is_open() const { return open_; }
    void close() { open_ = false; }
    void open() {
        open_ = true;
        if (waiting_) loop_.resume(std::exchange(waiting_, nullptr));
    }

    /// `co_await gate.passed()`
    auto passed() {
        struct Passage {
            Gate& gate;
            bool await_ready() const { return gate.open_; }
            void await_suspend(std::coroutine_handle<> task) const { gate.waiting_ = task; }
            void await_resume() const {}
        };
        return Passage{*this};
    }

private:
    Loop& loop_;
    bool open_ = true;
    std::coroutine_handle<> waiting_;
};

/// Happens once or never. A listener removes itself before it is destroyed.
class Departure {
public:
    class Listener {
    public:
        virtual void on_departure() = 0;

    protected:
        ~Listener() = default;
    };

    Departure() = default;
    Departure(const Departure&) = delete;
    Departure& operator=(const Departure&) = delete;

    bool has_happened() const { return happened_; }
    void happen() {
        if (std::exchange(happened_, true)) return;
        for (Listener* const listener : std::exchange(listeners_, {})) listener->on_departure();
    }
    void add(Listener& listener) { listeners_.push_back(&listener); }
    void remove(Listener& listener) { std::erase(listeners_, &listener); }

private:
    bool happened_ = false;
    std::vector<Listener*> listeners_;
};

} // namespace usershell
