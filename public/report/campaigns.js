/* Draws the campaigns of a read-only link: the course of each over its flight, and its creatives in the frame of the preview. */
(() => {
  'use strict';
  const { locale, say } = window.reportWords;
  const { at, day, element, showPublishers, showLooks, adFigure } = window.linkPage;
  const SVG = 'http://www.w3.org/2000/svg';
  const [WIDTH, HEIGHT] = [720, 150];
  const count = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const MS_PER_DAY = 86_400_000;
  const numberOf = (text) => Math.round(Date.parse(`${text.slice(0, 10)}T00:00:00Z`) / MS_PER_DAY);

  const drawn = (tag, attributes) => {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
  };

  /** A bar for each day of the flight up to the last one with figures, and the even pace to the goal as a line. */
  const chart = ({ start_date, end_date, days, goal, impressions }) => {
    const [first, last] = [numberOf(start_date), numberOf(end_date)];
    const shownFrom = Math.max(first, numberOf(days[0].day) - 1);
    const shownTo = Math.max(shownFrom, Math.min(last, Math.max(numberOf(days.at(-1).day) + 1, shownFrom + 6)));
    const length = shownTo - shownFrom + 1;
    const pace = goal === null ? null : goal / (last - first + 1);
    const most = Math.max(pace ?? 0, ...days.map((one) => one.impressions), 1) * 1.08;
    const step = WIDTH / length;
    const svg = drawn('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', preserveAspectRatio: 'none' });
    const total = count.format(impressions);
    svg.setAttribute('aria-label', say('Impressions a day: {0} from {1} to {2}', total, day(days[0].day), day(days.at(-1).day)));
    for (const one of days) {
      const height = (HEIGHT * one.impressions) / most;
      const x = (numberOf(one.day) - shownFrom) * step;
      const bar = drawn('rect', { x: x + step * 0.1, y: HEIGHT - height, width: step * 0.8, height, rx: Math.min(2, step / 4) });
      const title = drawn('title', {});
      title.textContent = `${day(one.day)}: ${count.format(one.impressions)}`;
      bar.append(title);
      svg.append(bar);
    }
    if (pace !== null) {
      const y = HEIGHT - (HEIGHT * pace) / most;
      svg.append(drawn('line', { x1: 0, x2: WIDTH, y1: y, y2: y }));
    }
    const words = pace === null ? '' : say('dashed: {0} a day lead to the goal', count.format(Math.round(pace)));
    return element(
      'figure',
      { className: 'course' },
      svg,
      element(
        'figcaption',
        {},
        element('span', { text: day(new Date(shownFrom * MS_PER_DAY).toISOString()) }),
        element('span', { text: words }),
        element('span', { text: day(new Date(shownTo * MS_PER_DAY).toISOString()) }),
      ),
    );
  };

  const goalBar = ({ goal, impressions }) => {
    const part = Math.min(1, impressions / goal);
    const used = element('span');
    used.style.width = `${100 * part}%`;
    const bar = element(
      'div',
      { className: 'goal', role: 'img', ariaLabel: say('{0} of the goal', share.format(impressions / goal)) },
      used,
    );
    return element(
      'div',
      { className: 'goal-line' },
      bar,
      element('p', {
        text: say('{0} of {1} impressions, {2}', count.format(impressions), count.format(goal), share.format(impressions / goal)),
      }),
    );
  };

  const creatives = (one) =>
    element('div', { className: 'creatives' }, ...one.creatives.map((ad) => adFigure(ad.name, ad, `${ad.name}, `)));

  /** Pictures of the ads on the pages themselves. */
  const screenshot = ({ picture, day: taken, caption }) => {
    const words = [caption, taken === null ? '' : day(taken)].filter((one) => one !== '').join(', ');
    const alt = caption === '' ? say('A page with the ad') : caption;
    return element(
      'figure',
      { className: 'screenshot' },
      element(
        'a',
        { href: `../..${picture}`, target: '_blank', rel: 'noopener' },
        element('img', { src: `../..${picture}`, alt, loading: 'lazy' }),
      ),
      ...(words === '' ? [] : [element('figcaption', { text: words })]),
    );
  };
  const screenshots = (all) => [
    element('h3', { text: say('As readers saw it') }),
    element('div', { className: 'screenshots' }, ...all.map(screenshot)),
  ];

  const campaign = (one) => {
    const impressions = count.format(one.impressions);
    const figures =
      one.clicks > 0 ? say('{0} impressions, {1} clicks', impressions, count.format(one.clicks)) : say('{0} impressions', impressions);
    return element(
      'section',
      { className: 'campaign' },
      element('h2', { text: one.name }),
      element('p', { className: 'flight', text: `${day(one.start_date)} – ${day(one.end_date)}` }),
      ...(one.goal !== null ? [goalBar(one)] : one.days.length > 0 ? [element('p', { text: figures })] : []),
      ...(one.days.length > 0 ? [chart(one)] : []),
      ...(one.creatives.length > 0 ? [creatives(one)] : []),
      ...(one.screenshots.length > 0 ? screenshots(one.screenshots) : []),
    );
  };

  window.showCampaigns = ({ publishers, campaigns }) => {
    showPublishers(publishers);
    const sections = campaigns.map(campaign);
    at('campaigns').replaceChildren(...sections);
    if (campaigns.every((one) => one.creatives.length === 0)) return;
    showLooks(() => campaigns.forEach((one, i) => sections[i].querySelector('.creatives')?.replaceWith(creatives(one))));
  };
})();
