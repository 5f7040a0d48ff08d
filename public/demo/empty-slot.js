/* global AdSDK, document */
const container = document.getElementById('empty-slot');
const state = document.getElementById('state');

container.addEventListener('AdSDK:noAd', ({ detail }) => {
  document.getElementById('slot').classList.add('closed');
  state.textContent = `No ad for “${detail.placementId}” (reason ${detail.nbr}). The slot has given its room back.`;
});

AdSDK.renderAd('empty-slot', 'empty-slot').then((shown) => {
  if (shown) state.textContent = 'An ad came after all: something is booked here.';
});
