/* global AdSDK, document */
// The container has data-disable-reporting="true": the ad gets no report button.
const slot = document.getElementById('takeover');
slot.addEventListener('AdSDK:noAd', () => {
  slot.closest('.ad-slot').hidden = true;
});
AdSDK.renderAd('takeover', 'takeover');
