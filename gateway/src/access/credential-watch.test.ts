import { until } from '@tandem/testing';
import { GatewayError } from '../http/gateway-error.ts';
import { createCredentialWatch } from './credential-watch.ts';

const hourMs = 3_600_000;

/** A watch whose regular checks come after the test, and a stream that it watches. */
function aWatch({ endsAt, everyMs = hourMs }: { endsAt?: number; everyMs?: number } = {}) {
  const listeners = new Set<() => void>();
  const onChange = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const watch = createCredentialWatch({ onChange }, { everyMs });
  const stream = { checks: 0, hasEnded: false, error: undefined as GatewayError | undefined };
  const remove = watch.add({
    endsAt,
    async check() {
      stream.checks++;
      if (stream.error) throw stream.error;
    },
    end() {
      stream.hasEnded = true;
    },
  });
  const change = () => {
    for (const listener of listeners) listener();
  };
  return { watch, stream, remove, change, listeners };
}

it('ends a stream when its credential expires', async () => {
  const { watch, stream } = aWatch({ endsAt: Date.now() + 100 });
  await until('the stream ends', () => stream.hasEnded);
  expect(stream.checks).toBe(0);
  watch.close();
});

it('ends a stream at once when identity revokes its credential, and at no other change', async () => {
  const { watch, stream, change } = aWatch();
  change();
  expect([stream.checks, stream.hasEnded]).toEqual([1, false]);
  stream.error = new GatewayError('unauthenticated');
  // The next check waits until a second after the first one.
  change();
  change();
  expect(stream.checks).toBe(1);
  await until('the stream ends', () => stream.hasEnded);
  expect(stream.checks).toBe(2);
  watch.close();
});

it('ends a stream if the message about its credential is lost', async () => {
  const { watch, stream } = aWatch({ everyMs: 20 });
  stream.error = new GatewayError('unauthenticated');
  await until('the stream ends', () => stream.hasEnded);
  watch.close();
});

it('keeps a stream open while identity is unavailable', async () => {
  const { watch, stream } = aWatch({ everyMs: 20 });
  stream.error = new GatewayError('unavailable');
  await until('it was checked', () => stream.checks > 1);
  expect(stream.hasEnded).toBe(false);
  watch.close();
});

it('checks neither closed streams, nor any after it is closed', () => {
  const { watch, stream, remove, change, listeners } = aWatch({ endsAt: Date.now() + 40 * 24 * hourMs });
  remove();
  change();
  expect(stream.checks).toBe(0);
  watch.close();
  expect(listeners.size).toBe(0);
});
