/* global AdSDK, document, matchMedia */
// The leaderboard and the half page share one request. The rectangle (data-lazy) is requested when
// the reader scrolls near it. A narrow screen requests a placement that fits.
const leaderboard = matchMedia('(width < 760px)').matches ? 'article-top-narrow' : 'article-top';

for (const [placement, containerId] of [
  [leaderboard, 'article-top'],
  ['article-side', 'article-side'],
  ['article-mid', 'article-mid'],
]) {
  const container = document.getElementById(containerId);
  container.addEventListener('AdSDK:noAd', () => {
    container.closest('.ad-slot').hidden = true;
  });
  AdSDK.renderAd(placement, containerId, undefined, { section: 'news' });
}
