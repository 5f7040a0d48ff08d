/* global AdSDK, document */
const container = document.getElementById('empty-slot');
const state = document.getElementById('state');

container.addEventListener('AdSDK:noAd', ({ detail }) => {
  document.getElementById('slot').classList.add('closed');
  state.textContent = `No ad for “${detail.placementId}” (reason ${detail.nbr}). The slot is collapsed.`;
});

AdSDK.renderAd('empty-slot', 'empty-slot').then((shown) => {
  if (shown) state.textContent = 'An ad is shown: something is booked here.';
});
