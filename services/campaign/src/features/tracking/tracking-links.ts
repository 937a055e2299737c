import { createLinkTokens, type Seal } from '@tandem/sealed';

const validDays = 400;
// Whoever gets the address of the page from the lead later is somebody else.
const visitMinutes = 30;

interface OfMessage {
  /** Tenant, environment and message, with short names because the links of a message are long enough. */
  t: number;
  e: 'live' | 'sandbox';
  m: number;
}

/** The addresses behind the links and the pixel of a message. A link leads only where its token says. */
export function trackingLinks(seal: Seal, publicUrl: string) {
  const opens = createLinkTokens<OfMessage>(seal, 'message-open');
  const clicks = createLinkTokens<OfMessage & { u: string }>(seal, 'message-click');
  const visits = createLinkTokens<OfMessage & { a: boolean }>(seal, 'page-visit');
  const until = () => new Date(Date.now() + validDays * 86_400_000);
  const of = ({ tenantId, environment, messageId }: MessageKey): OfMessage => ({
    t: tenantId,
    e: environment,
    m: messageId,
  });
  return {
    pixelUrl: (key: MessageKey) => `${publicUrl}/v1/public/t/o/${opens.issue(of(key), until())}`,
    /** The tracked address of a link; one that is too long for a token stays as it is. */
    clickUrl: (key: MessageKey, url: string) =>
      url.length > urlMax ? url : `${publicUrl}/v1/public/t/c/${clicks.issue({ ...of(key), u: url }, until())}`,
    readOpen: (token: string) => keyOf(opens.read(token)),
    readClick(token: string) {
      const read = clicks.read(token);
      return read === 'expired' || read === undefined ? undefined : { ...(keyOf(read) as MessageKey), url: read.u };
    },
    /** Whether an address is that of a landing page on the platform. */
    isPage: (url: string) => url.startsWith(`${publicUrl}/p/`) && URL.canParse(url),
    /** The address of a landing page with a token, so that the visit counts for the lead. */
    visitUrl(key: MessageKey, { url, automated }: { url: string; automated: boolean }): string {
      const target = new URL(url);
      const visitedUntil = new Date(Date.now() + visitMinutes * 60_000);
      target.searchParams.set('visit', visits.issue({ ...of(key), a: automated }, visitedUntil));
      return target.href;
    },
    readVisit(token: string) {
      const read = visits.read(token);
      return read === 'expired' || read === undefined
        ? undefined
        : { ...(keyOf(read) as MessageKey), automated: read.a };
    },
  };
}

export type TrackingLinks = ReturnType<typeof trackingLinks>;

export interface MessageKey {
  tenantId: number;
  environment: 'live' | 'sandbox';
  messageId: number;
}

const urlMax = 1_200;

function keyOf(read: OfMessage | 'expired' | undefined): MessageKey | undefined {
  return read === 'expired' || read === undefined
    ? undefined
    : { tenantId: read.t, environment: read.e, messageId: read.m };
}
