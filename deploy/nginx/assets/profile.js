// The profile page: tells at once when a chosen picture cannot be accepted, and shows times as the
// reader's clock does.

const input = document.getElementById('avatar');
const slot = document.getElementById('avatar-error');

function problem(file) {
  if (!file) return '';
  if (!input.accept.split(',').includes(file.type)) return 'Choose a PNG or JPEG image.';
  const { maxBytes, limit } = input.dataset;
  if (file.size > Number(maxBytes)) {
    return `This picture has ${Math.ceil(file.size / 1024)} KiB; at most ${limit} are accepted.`;
  }
  return '';
}

input?.addEventListener('change', () => {
  const text = problem(input.files[0]);
  slot.textContent = text;
  input.setAttribute('aria-invalid', String(text !== ''));
  input.setCustomValidity(text);
});

for (const time of document.querySelectorAll('time')) {
  time.textContent = new Date(time.dateTime).toLocaleString();
}
