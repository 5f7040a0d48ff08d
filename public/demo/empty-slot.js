const slot = document.getElementById('empty-slot');
const state = document.getElementById('state');

slot.addEventListener('AdSDK:noAd', ({ detail }) => {
  state.textContent = `No ad for “${detail.placementId}” (reason ${detail.nbr}). The slot is collapsed.`;
});
