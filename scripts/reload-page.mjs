/*
 * In the trafficking page that `npm run dev` builds, and in no other: reloads the page when there is a new build. A form with changes asks
 * first, as it does when it is left.
 */
const BUILD = '/static/admin/build.json';
const EVERY_MS = 500;
let shown;

async function look() {
  try {
    const { build } = await (await fetch(BUILD, { cache: 'no-store' })).json();
    shown ??= build;
    if (build === shown) return;
    shown = build;
    globalThis.location.reload();
  } catch {
    // The service restarts: it answers in a moment.
  }
}

setInterval(look, EVERY_MS);
