import { button, facts, h, section } from './elements.ts';
import type { RecordedAd } from './recorded-ads.ts';
import { adReport, SHARE_CLASS, shareWords, slotReport, summaryOf } from './slot-report.ts';
import type { WatchedSlot } from './slot-watch.ts';

export interface PanelOptions {
  readonly allAds: () => readonly RecordedAd[];
  readonly hasGrant: boolean;
  /** Removes the overlay. */
  readonly end: () => void;
}

/** `page`: the overview. An ad: a request without a slot (`fetchAd`). */
type Subject = HTMLElement | RecordedAd['imp'] | 'page' | undefined;

/** The bar at the foot of the page, and the panel with the overview or one report. */
export const createPanel = (root: ShadowRoot, { allAds, hasGrant, end }: PanelOptions) => {
  let subject: Subject;
  let opener: HTMLElement | undefined;
  let drawn = '';
  let slotsOfPage: readonly WatchedSlot[] = [];

  const overview = button('', () => show('page', overview), { 'aria-haspopup': 'dialog' });
  // The longer text comes last, so that it moves nothing when it changes.
  const bar = h(
    'div',
    { class: 'bar', role: 'region', 'aria-label': 'Ad debug overlay' },
    button('×', end, { 'aria-label': 'Remove the overlay' }),
    overview,
  );
  const title = h('h2', { id: 'title', tabindex: '-1' });
  const body = h('div', { class: 'body' });
  const back = button('All slots', () => show('page'), { class: 'back' });
  const panel = h(
    'div',
    { class: 'panel', role: 'dialog', 'aria-labelledby': 'title' },
    h(
      'header',
      {},
      title,
      back,
      button('×', () => close(), { 'aria-label': 'Close' }),
    ),
    body,
  );
  panel.hidden = true;
  root.append(bar, panel);

  const show = (next: Subject, from = opener): void => {
    [subject, opener, drawn] = [next, from, ''];
    panel.hidden = next === undefined;
    body.scrollTop = 0;
    draw();
    if (next !== undefined) title.focus();
  };
  const close = (): void => {
    show(undefined);
    opener?.focus();
  };
  panel.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    close();
  });

  const entry = (label: string, words: string, state: string, next: Subject): HTMLElement =>
    h('li', {}, h('button', { type: 'button', 'data-state': state, click: () => show(next) }, h('b', {}, label), ' ', words));

  const withoutSlot = (slots: readonly WatchedSlot[]): readonly RecordedAd[] => {
    const placed = new Set(slots.map(({ ad }) => ad?.imp));
    return allAds().filter(({ imp, answeredAtMs }) => answeredAtMs !== undefined && !placed.has(imp));
  };

  const pageReport = (slots: readonly WatchedSlot[]): readonly (HTMLElement | undefined)[] => {
    const others = withoutSlot(slots);
    const last = allAds()[allAds().length - 1];
    return [
      section(
        'Slots',
        slots.length === 0 && h('p', {}, 'This page has no slot.'),
        slots.length > 0 &&
          h(
            'ul',
            { class: 'entries' },
            ...slots.map((slot) => entry(slot.placementId || 'slot', summaryOf(slot), slot.error ? 'failed' : slot.state, slot.container)),
          ),
      ),
      others.length > 0
        ? section(
            'Requests without a slot',
            h('p', {}, 'By fetchAd, or of slots that have been filled again or have left the page.'),
            h(
              'ul',
              { class: 'entries' },
              ...others.map((ad) => entry(ad.placementId, ad.bid ? 'an ad' : `no ad ${ad.nbr ?? ''}`, '', ad.imp)),
            ),
          )
        : undefined,
      section(
        'Page',
        facts({
          SDK: SDK_VERSION,
          Server: last?.server,
          Figures: hasGrant ? 'with a debug grant' : 'without prices and limits in production: open the page with a debug link',
        }),
      ),
    ];
  };

  const reportOf = (slots: readonly WatchedSlot[]): readonly [name: string, parts: readonly (HTMLElement | undefined)[]] => {
    if (subject instanceof HTMLElement) {
      const slot = slots.find(({ container }) => container === subject);
      return slot ? [slot.placementId || 'slot', slotReport(slot)] : ['This slot has left the page', pageReport(slots)];
    }
    const ad = allAds().find(({ imp }) => imp === subject);
    return ad ? [ad.placementId, adReport(ad)] : ['Ads of this page', pageReport(slots)];
  };

  const draw = (): void => {
    const count = (state: string): number => slotsOfPage.filter((slot) => slot.state === state).length;
    const [filled, empty] = [count('filled'), count('empty')];
    const words = `Ads: ${filled} filled, ${empty} empty, ${slotsOfPage.length - filled - empty} waiting`;
    if (overview.textContent !== words) overview.textContent = words;
    if (panel.hidden) return;
    const [name, parts] = reportOf(slotsOfPage);
    const next = h('div', {}, ...parts);
    const [share = ''] = slotsOfPage.filter(({ container }) => container === subject).map(shareWords);
    // Drawn again only when it says something else: a link in it may have the focus.
    const text = name + next.textContent?.replace(share, '');
    if (text === drawn) return body.querySelector(`.${SHARE_CLASS}`)?.replaceChildren(share);
    drawn = text;
    title.textContent = name;
    back.hidden = subject === 'page';
    const hadFocus = body.contains(root.activeElement);
    const at = body.scrollTop;
    body.replaceChildren(next);
    body.scrollTop = at;
    if (hadFocus) title.focus();
  };

  return {
    /** Shows the report of a slot. Closing returns the focus to `opener`. */
    open: show,
    draw: (slots: readonly WatchedSlot[]): void => {
      slotsOfPage = slots;
      draw();
    },
  };
};
