/* global AdSDK, document, matchMedia */
// The leaderboard and the half page are asked for in one request; the rectangle (data-lazy) when the reader comes near it.
// A narrow screen asks for a placement that fits it.
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
