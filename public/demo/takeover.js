/* global AdSDK, document */
// The publisher vouches for this sponsor: the container says data-disable-reporting="true", so the ad carries no report button.
const slot = document.getElementById('takeover');
slot.addEventListener('AdSDK:noAd', () => {
  slot.closest('.ad-slot').hidden = true;
});
AdSDK.renderAd('takeover', 'takeover');
