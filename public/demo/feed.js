// A native ad in the feed's own template. The SDK sends an event for each button with data-ad-event
// and counts a click on any link.
const postOf =
  (sdk) =>
  (assets, { escapeHTML }) => {
    const image = typeof assets.image === 'string' ? assets.image : assets.image?.url;
    const target = escapeHTML(assets.clickUrl ?? assets.click ?? '#top');
    const brand = String(assets.brand ?? 'Sponsor');
    return `
    <header>
      <span class="avatar" aria-hidden="true">${escapeHTML(brand.slice(0, 1))}</span>
      <div><strong>${escapeHTML(brand)}</strong><small>${escapeHTML(assets.sponsored ?? 'Sponsored')}</small></div>
    </header>
    <p>${escapeHTML(assets.description)}</p>
    <a class="cover" href="${target}" target="_blank" rel="noopener">
      ${image ? `<img src="${escapeHTML(image)}" alt="${escapeHTML(assets.title)}" width="600" height="400">` : ''}
      ${assets.offer ? `<span class="offer">${escapeHTML(assets.offer)}</span>` : ''}
    </a>
    <div class="call">
      <strong>${escapeHTML(assets.title)}</strong>
      <a class="go" href="${target}" target="_blank" rel="noopener">See more</a>
    </div>
    <footer>
      <button type="button" data-ad-event="like" aria-pressed="false">♡ Like</button>
      <button type="button" data-ad-event="comment">Comment</button>
      <button type="button" data-ad-event="share">Share</button>
      ${sdk.getReportLinkHTML('Report', 'report')}
    </footer>`;
  };

window.AdSDK = window.AdSDK || { cmd: [] };
window.AdSDK.cmd.push((sdk) => {
  sdk.templates.post = postOf(sdk);
});

document.addEventListener('click', ({ target }) => {
  const like = target.closest('[data-ad-event="like"]');
  if (!like) return;
  const liked = like.getAttribute('aria-pressed') !== 'true';
  like.setAttribute('aria-pressed', String(liked));
  like.textContent = liked ? '♥ Liked' : '♡ Like';
});
