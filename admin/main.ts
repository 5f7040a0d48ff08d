import './words/load-messages.ts';
import { html, render } from 'lit-html';
import { createApi } from './api/api.ts';
import { signInAddress } from './api/auth.ts';
import { createInbox } from './api/inbox.ts';
import { offerProposal } from './approvals/offer-proposal.ts';
import { NO_RIGHTS, readRights, type Rights } from './api/rights.ts';
import './parts/charts/chart.ts';
import { askChoice, askQuestion, askSignIn } from './parts/dialogs.ts';
import type { Page, View } from './page.ts';
import { loading, problemNote } from './parts/parts.ts';
import './parts/preview/ad-preview.ts';
import { parseRoute } from './route.ts';
import { openScreen } from './screens.ts';
import { personMenu } from './people/person-menu.ts';
import { shell } from './shell.ts';
import { closeOnClickOutside } from './parts/panel.ts';
import { openPalette } from './parts/palette.ts';
import { findAnything } from './bookings/find-anything.ts';
import { createStatuses } from './api/statuses.ts';
import { createStore } from './api/store.ts';
import { createToasts } from './parts/toasts.ts';
import type { Problem } from './api/wire.ts';
import type { Preferences } from '../src/people/preferences/preferences.ts';
import { applyLooks, keepPreferences, keptPreferences, needsReload } from './words/kept-preferences.ts';
import { t } from './words/texts.ts';

const root = document.getElementById('app') as HTMLElement;
let rights: Rights = NO_RIGHTS;
let view: View = { title: t`Loading`, section: '', render: loading };
let shownHash = '';
let drawnHash = '';
let drawing = false;
let opening = 0;
/** How far the entries of the browser's history were scrolled, by the numbers in their states. */
const scrolls = new Map<number, number>();
let entries = Date.now();
let entry = entries;

/** Draws in a microtask: before the next event, so that no handler sees an outdated screen. */
const redraw = (): void => {
  if (drawing) return;
  drawing = true;
  queueMicrotask(() => {
    drawing = false;
    draw();
  });
};

const draw = (): void => {
  const screen = html`<div class="screen" data-at=${drawnHash}>${view.render()}</div>`;
  const counts = { approvals: inbox.approvals, inbox: inbox.total };
  render(
    shell({
      rights,
      section: view.section,
      counts,
      screen,
      personMenu: personMenu(page, view.section),
      toasts: toasts.render(),
      help: () => page.help(),
    }),
    root,
  );
  document.title = t`${view.title} · Ad server`;
};

const toasts = createToasts(redraw);

/** Leaves for the page that lets people in. A change that is being made, or typed, waits until the person is back. */
const signIn = (isWrite: boolean): Promise<boolean> => {
  const address = signInAddress(location.hash);
  if (isWrite || view.hasChanges?.()) return askSignIn(address);
  location.replace(address);
  return new Promise(() => undefined);
};

const api = createApi({ signIn });
const statuses = createStatuses(api, redraw);
const inbox = createInbox(api, () => rights, redraw);
const page: Page = {
  get rights() {
    return rights;
  },
  readRights: async () => {
    const answer = await readRights(api);
    if (answer.ok) rights = answer.value;
    else page.complain(answer.problem);
    redraw();
  },
  api,
  statuses,
  inbox,
  store: createStore({ api, onRefresh: statuses.outdate, onRead: redraw }),
  redraw,
  toast: toasts.add,
  complain: (problem) => {
    if (problem.proposable && rights.may('POST', '/approvals')) void offerProposal(page, problem);
    else toasts.add(`${problem.title}. ${problem.detail}`, { tone: 'bad' });
  },
  confirm: askQuestion,
  choose: askChoice,
  help: (id) => void import('./help/help-dialog.ts').then(({ openHelp }) => openHelp(view.section, id)),
  rename: (hash) => {
    history.replaceState(history.state, '', hash);
    shownHash = location.hash;
    drawnHash = shownHash;
  },
  go: (hash, { saved = false } = {}) => {
    if (saved) view = { ...view, hasChanges: () => false };
    if (location.hash === hash) void open();
    else location.hash = hash;
  },
};

/** Opens the screen of the address, with the focus on its heading for screen readers. */
const open = async (): Promise<void> => {
  const turn = ++opening;
  const isNew = typeof (history.state as { entry?: unknown } | null)?.entry !== 'number';
  shownHash = location.hash;
  view.leave?.();
  page.store.turn();
  inbox.refresh();
  const next = await openScreen(page, parseRoute(location.hash));
  if (turn !== opening) return next.leave?.();
  view = next;
  drawnHash = shownHash;
  draw();
  // An entry that Back or Forward leads to is shown where it was left.
  if (isNew) history.replaceState({ entry: ++entries }, '');
  entry = (history.state as { readonly entry: number }).entry;
  window.scrollTo(0, scrolls.get(entry) ?? 0);
  // On narrow screens the navigation scrolls sideways, and its current entry may be out of view.
  document.querySelector('.sidebar [aria-current="page"]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
};

const LEAVE = {
  title: t`Leave without saving?`,
  text: t`Your changes on this page will be lost.`,
  yes: t`Leave`,
  dangerous: true,
} as const;

history.scrollRestoration = 'manual';
window.addEventListener('scrollend', () => scrolls.set(entry, window.scrollY));

window.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select, [contenteditable]');
  if (event.key === '?' && !isTyping) {
    event.preventDefault();
    return page.help();
  }
  const isPalette = event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey);
  if (!isPalette && (isTyping || event.key !== '/')) return;
  event.preventDefault();
  openPalette(findAnything(page), (hash) => page.go(hash));
});

window.addEventListener('click', closeOnClickOutside);

window.addEventListener('hashchange', () => {
  if (location.hash === shownHash) return;
  if (!view.hasChanges?.()) return void open();
  const wanted = location.hash;
  history.replaceState(null, '', shownHash);
  void askQuestion(LEAVE).then((leave) => {
    if (leave) page.go(wanted, { saved: true });
  });
});

window.addEventListener('beforeunload', (event) => {
  if (view.hasChanges?.()) event.preventDefault();
});

const start = async (): Promise<void> => {
  draw();
  const allowed = await readRights(api);
  if (!allowed.ok) return showProblem(allowed.problem);
  // A page that is about to be loaded again does not show who it is for: a click on that would be lost.
  if (takePreferences(allowed.value.me.preferences)) return;
  rights = allowed.value;
  // The first screen does not wait for what only forms need.
  const [problem] = await Promise.all([page.store.loadDimensions(), open()]);
  return problem ? showProblem(problem) : redraw();
};

/** Those of the person before those of the browser. @returns whether the page is loaded again for them */
const takePreferences = (preferences: Preferences | null): boolean => {
  const kept = keptPreferences();
  if (preferences === null || JSON.stringify(preferences) === JSON.stringify(kept)) return false;
  keepPreferences(preferences);
  applyLooks(preferences);
  if (!needsReload(kept, keptPreferences())) return false;
  location.reload();
  return true;
};

const showProblem = (problem: Problem): void => {
  view = {
    title: t`Not available`,
    section: '',
    render: () =>
      html`<h1 tabindex="-1">${t`The campaign data cannot be loaded`}</h1>
        ${problemNote(problem)}<button type="button" @click=${() => void start()}>${t`Try again`}</button>`,
  };
  draw();
};

void start();
