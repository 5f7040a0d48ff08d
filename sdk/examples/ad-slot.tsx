import { createAdSDK } from '@ad-server/adsdk';
import { useEffect, useRef } from 'react';

/** One SDK for the app; on a server it does nothing. */
export const ads = createAdSDK({ baseUrl: 'https://ads.example' });

interface AdSlotProps {
  readonly placement: string;
  /** CSS pixels, reserved before the ad is there. */
  readonly height: number;
}

/** An ad that is requested when the component appears, and removed with it. */
export const AdSlot = ({ placement, height }: AdSlotProps) => {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const container = box.current;
    if (!container) return undefined;
    void ads.renderAd(placement, container);
    return () => ads.destroy(container);
  }, [placement]);
  return <div ref={box} style={{ minHeight: height }} />;
};
