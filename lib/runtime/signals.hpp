// Two signals for tasks: an AsyncEvent, on which a task waits (back-pressure), and a
// CancellationToken, by which it learns that the client has gone. In the loop's thread only.
// sleep_on() waits for a time.
#pragma once

#include "runtime/loop.hpp"

#include <algorithm>
#include <coroutine>
#include <utility>
#include <vector>

namespace usershell {

/// Set at first. At most one task waits for it at a time.
class AsyncEvent {
public:
    explicit AsyncEvent(Loop& loop) : loop_{loop} {}
    AsyncEvent(const AsyncEvent&) = delete;
    AsyncEvent& operator=(const AsyncEvent&) = delete;

    bool is_set() const { return is_set_; }
    void reset() { is_set_ = false; }
    void set() {
        is_set_ = true;
        if (waiting_) loop_.resume(std::exchange(waiting_, nullptr));
    }

    /// `co_await event.wait()` returns at once while the event is set, else when it is.
    auto wait() {
        struct Awaiter {
            AsyncEvent& event;
            bool await_ready() const { return event.is_set_; }
            void await_suspend(std::coroutine_handle<> task) const { event.waiting_ = task; }
            void await_resume() const {}
        };
        return Awaiter{*this};
    }

private:
    Loop& loop_;
    bool is_set_ = true;
    std::coroutine_handle<> waiting_;
};

/// Waits for a time, without a thread. Begins on any thread, ends on the loop.
inline Task<> sleep_on(Loop& loop, Loop::Clock::duration time) {
    struct Alarm final : Loop::Timer {
        explicit Alarm(Loop& of) : Timer{of}, rung{of} { rung.reset(); }
        void on_due() override { rung.set(); }
        AsyncEvent rung;
    };
    co_await loop.enter();
    Alarm alarm{loop};
    alarm.set(Loop::Clock::now() + time);
    co_await alarm.rung.wait();
}

/// Cancelled once or never. A listener removes itself before it is destroyed.
class CancellationToken {
public:
    class Listener {
    public:
        virtual void on_cancelled() = 0;

    protected:
        ~Listener() = default;
    };

    CancellationToken() = default;
    CancellationToken(const CancellationToken&) = delete;
    CancellationToken& operator=(const CancellationToken&) = delete;

    bool is_cancelled() const { return is_cancelled_; }
    void cancel() {
        if (std::exchange(is_cancelled_, true)) return;
        for (Listener* const listener : std::exchange(listeners_, {})) listener->on_cancelled();
    }
    void add(Listener& listener) { listeners_.push_back(&listener); }
    void remove(Listener& listener) { std::erase(listeners_, &listener); }

private:
    bool is_cancelled_ = false;
    std::vector<Listener*> listeners_;
};

} // namespace usershell
