/* What the pages behind links share: calls with the token of the address, their parts, and ads as their readers look at them. */
(() => {
  'use strict';
  const { locale, say } = window.reportWords;
  const token = location.hash.slice(1);
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });

  const at = (id) => document.getElementById(id);
  /** A day, or the day of a moment. */
  const day = (text) => date.format(new Date(`${text.slice(0, 10)}T00:00:00Z`));

  const element = (tag, { text, ...properties } = {}, ...children) => {
    const made = document.createElement(tag);
    Object.assign(made, properties);
    if (text !== undefined) made.textContent = text;
    made.append(...children);
    return made;
  };

  /** The token is the fragment of the address: it is in no log. @returns what calls one door of the service, with a body: by POST */
  const callsOf = (door) => (path, body) =>
    fetch(`../../${door}${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) },
      referrerPolicy: 'no-referrer',
      ...(body && { body: JSON.stringify(body) }),
    });

  const refuse = (words) => {
    at('state').hidden = false;
    at('state').textContent = words;
    at('state').className = 'bad';
  };
  const away = () => refuse(say('The service did not answer. Try again later.'));
  /** What an answer that is none says. */
  const faultOf = ({ detail }, status) => (detail ? say(detail) : say('The service answered {0}.', status));

  const showPublishers = (publishers) => {
    const names = at('publishers');
    const shown = publishers.map(({ name, logo }) => {
      const picture = logo === null ? [] : [element('img', { src: logo, alt: '', referrerPolicy: 'no-referrer' })];
      return element('span', {}, ...picture, element('b', { text: name }));
    });
    names.replaceChildren(...shown);
    names.hidden = publishers.length === 0;
  };

  /** How all ads are shown: alone, or on a page, as a picture or itself. */
  const look = { device: 'alone', scheme: 'light', behind: 'picture' };

  /** One of few, as radio buttons in a row. */
  const segments = (name, words, choices, onChange) => {
    const group = element('fieldset', { className: 'segments' }, element('legend', { text: words }));
    for (const [value, label] of choices) {
      const radio = element('input', { type: 'radio', name, value, checked: look[name] === value });
      radio.addEventListener('change', () => {
        look[name] = value;
        onChange();
      });
      group.append(element('label', {}, radio, element('span', { text: label })));
    }
    return group;
  };
  /** Puts the choice of a look into the page. @param onChange draws the ads anew @param hasPages whether ads are also shown on the page itself */
  const showLooks = (onChange, hasPages = false) => {
    const choices = {
      device: [
        ['alone', say('Alone')],
        ['desktop', say('Desktop')],
        ['phone', say('Phone')],
      ],
      scheme: [
        ['light', say('Light')],
        ['dark', say('Dark')],
      ],
      behind: [
        ['picture', say('Picture')],
        ['page', say('The page itself')],
      ],
    };
    const change = () => {
      for (const one of ofPages) one.hidden = look.device === 'alone';
      onChange();
    };
    const ofPages = [segments('scheme', say('Colours of the page'), choices.scheme, onChange)];
    if (hasPages) ofPages.push(segments('behind', say('What is behind it'), choices.behind, onChange));
    for (const one of ofPages) one.hidden = look.device === 'alone';
    at('looks').replaceChildren(segments('device', say('How ads are shown'), choices.device, change), ...ofPages);
  };

  const wordsOfState = () => ({
    loading: say('The page is loaded with the ad in its slot …'),
    shown: say('The page shows the ad in its slot. Nothing is counted.'),
    silent: say('The page does not show the ad in this frame. Open it in a tab.'),
  });
  /** The page itself with the ad in its slot, and a way to open it in a tab. */
  const liveFigure = (ad, { url, placement_id: placement, adm }, words) => {
    const state = element('span', { role: 'status' });
    const { device, scheme } = look;
    const shown = {
      ...{ ad: { ...ad, url, placement, adm }, device, scheme, isLazy: true },
      onState: (now) => (state.textContent = wordsOfState()[now]),
    };
    const page = element('live-page', { shown });
    const open = element('button', { type: 'button', className: 'small', text: say('Open it in a tab') });
    open.addEventListener('click', () => page.openTab());
    return [
      element('div', { className: 'creative-box' }, page),
      element('figcaption', { text: words }),
      element('p', { className: 'live' }, state, ' ', open),
    ];
  };

  /** An ad in one size, smaller where there is no room: alone, on its page, on a picture of it, or on a sketch. @param label before its size */
  const adFigure = (name, { width, height, markup, pages, live }, label = '') => {
    const { device, scheme } = look;
    const ad = { width, height, markup, title: `${name}, ${width} × ${height}`, isLazy: true };
    const place = pages.find((one) => one.device === device && one.scheme === scheme);
    const isAlone = device === 'alone' || markup === null;
    const shown = () => (isAlone ? element('ad-preview', { ad }) : element('page-preview', { shown: { ad, device, scheme, place } }));
    const box =
      markup === null
        ? element('p', { className: 'player', text: say('Only the player of the page shows this ad.') })
        : element('div', { className: 'creative-box' }, shown());
    const isLive = !isAlone && look.behind === 'page' && Boolean(live);
    const about = isAlone || place || isLive ? '' : `, ${say('on a sketch of a page')}`;
    const words = `${label}${width} × ${height}${about}`;
    const parts = isLive ? liveFigure(ad, live, words) : [box, element('figcaption', { text: words })];
    const figure = element('figure', { className: 'creative' }, ...parts);
    figure.style.width = isAlone ? `${width + 2}px` : device === 'phone' ? '392px' : '1000px';
    return figure;
  };

  // On paper all ads are in view.
  window.addEventListener('beforeprint', () => {
    for (const frame of document.querySelectorAll('iframe')) frame.loading = 'eager';
  });

  window.linkPage = { at, day, element, callsOf, refuse, away, faultOf, showPublishers, showLooks, adFigure };
})();
