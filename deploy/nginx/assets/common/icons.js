// Line drawings for buttons and tags, in the colour of the text. They say nothing: the control beside them has a name.

const space = 'http://www.w3.org/2000/svg';
const paths = {
  bolt: 'M13 3 5 13.5h6L10 21l9-11h-6.5z',
  browse: 'M4 6h10M4 12h10M4 18h6M18 9v6M15 12h6',
  chat: 'M4 5h16v11H10l-4.5 3.5V16H4z',
  close: 'M6 6l12 12M18 6 6 18',
  key: 'M14.5 9.5a4 4 0 1 1-3.7-4 4 4 0 0 1 3.7 4M13.5 12.5 20 19M17 16l2-2',
  more: 'M5 12h.01M12 12h.01M19 12h.01',
  pencil: 'M4 20l1-4L16.5 4.5l3 3L8 19zM14 7l3 3',
  power: 'M12 4v8M7.5 7a7 7 0 1 0 9 0',
  replace: 'M4 11a8 8 0 0 1 14-4.5L20 9M20 4v5h-5M20 13a8 8 0 0 1-14 4.5L4 15M4 20v-5h5',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16 16l4.5 4.5',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5',
  trash: 'M4 7h16M10 4h4M6 7l1 13h10l1-13M10 11v5M14 11v5',
  unlocked: 'M6 11h12v9H6zM9 11V8a3.5 3.5 0 0 1 6.8-1.2',
};

/** A drawing by its name above. */
export function icon(name) {
  const node = document.createElementNS(space, 'svg');
  for (const [key, value] of Object.entries({ class: 'icon', viewBox: '0 0 24 24', 'aria-hidden': 'true' })) {
    node.setAttribute(key, value);
  }
  const path = document.createElementNS(space, 'path');
  path.setAttribute('d', paths[name]);
  node.append(path);
  return node;
}
