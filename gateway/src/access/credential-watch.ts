import { GatewayError } from '../http/gateway-error.ts';
import type { Principals } from './principals.ts';

/** Ends streams when their credentials end. */
export interface CredentialWatch {
  /**
   * Watches the credential of one stream; returns a function that stops watching it.
   * @param stream.endsAt when the credential expires, in milliseconds since 1970
   * @param stream.check rejects with a GatewayError below 500 when the caller may no longer read the stream
   */
  add(stream: WatchedStream): () => void;
  close(): void;
}

interface WatchedStream {
  endsAt: number | undefined;
  check(): Promise<void>;
  end(): void;
}

// A revocation takes effect within 5 s even if its message is lost, as for requests (D5).
const recheckMs = 5_000;
// After a message, so that many changes, such as sign-ins of other tenants, cost one check a second.
const afterChangeMs = 1_000;
// A longer timer would fire at once. Until then, the checks find that a credential has expired.
const timerMaxMs = 2 ** 31 - 1;

/**
 * Checks the credentials of all streams when identity publishes a change of any credential, at most once a second, and
 * every 5 s besides. Each stream has one timer for the time at which its credential expires. While identity is
 * unavailable, streams go on.
 */
export function createCredentialWatch(
  principals: Pick<Principals, 'onChange'>,
  { everyMs = recheckMs, now = Date.now }: { everyMs?: number; now?: () => number } = {},
): CredentialWatch {
  const streams = new Set<WatchedStream>();
  let checkedAt = -Infinity;
  let pending: NodeJS.Timeout | undefined;

  const checkAll = () => {
    clearTimeout(pending);
    pending = undefined;
    checkedAt = now();
    for (const stream of streams)
      stream.check().catch((error: unknown) => {
        if (error instanceof GatewayError && error.status < 500) stream.end();
      });
  };
  const changed = () => {
    if (!streams.size || pending) return;
    const wait = checkedAt + afterChangeMs - now();
    if (wait <= 0) checkAll();
    else pending = setTimeout(checkAll, wait).unref();
  };
  const stopListening = principals.onChange(changed);
  const timer = setInterval(checkAll, everyMs).unref();

  return {
    add(stream) {
      streams.add(stream);
      const restMs = stream.endsAt === undefined ? Infinity : stream.endsAt - now();
      const expiry = restMs > timerMaxMs ? undefined : setTimeout(stream.end, restMs).unref();
      return () => {
        streams.delete(stream);
        clearTimeout(expiry);
      };
    },
    close() {
      stopListening();
      clearInterval(timer);
      clearTimeout(pending);
    },
  };
}
