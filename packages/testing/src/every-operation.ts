import { callerHeader, createCallerSigner } from '@tandem/caller';
import {
  fillPath,
  isEventStream,
  neededPermissions,
  type Operation,
  type Operations,
  signedIn,
  unwrap,
} from '@tandem/contract';
import type { z } from 'zod';
import type { TestService } from './test-service.ts';

const missingId = '999999999';
const contextLifetimeMs = 30_000;
const wordsOfZod = /^Invalid |^Too (small|big)|^Unrecognized|\bexpected\b|\breceived\b/;

/**
 * Generated tests for every row of a contract: a request without the gateway's signature, without the permission, with
 * a sandbox key where live would change too, with an unknown id, with a body of the wrong type, and with a malformed
 * body.
 * @param options.recordless operations whose path names no record, so that they answer 200 to any value of it
 */
export function everyOperation<Ops extends Operations>(
  operations: Ops,
  service: () => TestService<Ops>,
  { recordless = [] }: { recordless?: readonly (keyof Ops & string)[] } = {},
): void {
  const rows = Object.values(operations);
  const named = (kept: Operation[]) => kept.map((row) => [`${row.method} ${row.path}`, row] as const);
  const own = rows.filter(
    (row) => row.audience === undefined || row.audience === 'tenant' || row.audience === 'portal',
  );

  it('has the grants to delete everything that the service declares for purging', async () => {
    expect(await service().housekeep()).toEqual([]);
  });

  describe('every operation', () => {
    it.each(named(rows))('%s rejects a request that did not come through the gateway', async (_, row) => {
      const reply = await service().send(row, { params: someParams(row) }, undefined);
      expect([reply.status, reply.body.code]).toEqual([403, 'gateway_only']);
    });

    it.each(named(rows))('%s returns 503 to a request that was delayed too long after the gateway', async (_, row) => {
      const { caller } = service().as();
      const path = fillPath(row.path, (field) => someParams(row)[field]);
      const signedAt = Date.now() - contextLifetimeMs - 1_000;
      const late = createCallerSigner(process.env.INTERNAL_SECRETS as string, () => signedAt);
      const headers = { [callerHeader]: late.sign(caller, row.method, path) };
      const reply = await service().send(row, { params: someParams(row), headers }, undefined);
      expect([reply.status, reply.body.code, reply.headers['retry-after']]).toEqual([503, 'unavailable', '1']);
    });

    const guarded = own.filter((row) => row.permission !== signedIn);
    if (guarded.length) {
      it.each(named(guarded))('%s rejects a caller without its permission', async (_, row) => {
        const { caller } = service().as({ can: [] });
        const reply = await service().send(row, { params: someParams(row), body: {} }, caller);
        expect([reply.status, reply.body.message]).toEqual([403, 'Insufficient permissions']);
      });
    }

    const further = guarded.flatMap((row) =>
      neededPermissions(row).map((missing) => [`${row.method} ${row.path}`, missing, row] as const),
    );
    const ofSeveral = further.filter(([, , row]) => neededPermissions(row).length > 1);
    if (ofSeveral.length) {
      it.each(ofSeveral)('%s rejects a caller who lacks %s of its permissions', async (_, missing, row) => {
        const { caller } = service().as({ can: neededPermissions(row).filter((permission) => permission !== missing) });
        const reply = await service().send(row, { params: someParams(row), body: {} }, caller);
        expect([reply.status, reply.body.message]).toEqual([403, 'Insufficient permissions']);
      });
    }

    const whole = guarded.filter((row) => !row.narrows);
    if (whole.length) {
      it.each(named(whole))('%s rejects a caller narrowed to their own records', async (_, row) => {
        const narrowed = neededPermissions(row).flatMap((permission) => [`${permission}:own`, `${permission}:team`]);
        const { caller } = service().as({ can: narrowed });
        const reply = await service().send(row, { params: someParams(row), body: {} }, caller);
        expect([reply.status, reply.body.message]).toEqual([403, 'Insufficient permissions']);
      });
    }

    const writes = own.filter((row) => row.method !== 'GET');
    if (writes.length) {
      it.each(named(writes))('%s lets a sandbox key change nothing that live shares', async (_, row) => {
        const { caller } = service().as({ environment: 'sandbox' });
        const reply = await service().send(row, { params: someParams(row), ...(row.body && { body: {} }) }, caller);
        const isRefused = reply.status === 403 && reply.body.code === 'live_key_needed';
        expect(isRefused).toBe(!service().separatesEnvironments);
      });
    }

    const withBody = rows.filter((row) => row.body && row.audience !== 'public');
    if (withBody.length) {
      it.each(named(withBody))('%s rejects a body that is not an object', async (_, row) => {
        const { caller } = service().as(row.audience === 'internal' ? { type: 'system' } : {});
        const reply = await service().send(
          row,
          { params: someParams(row), body: [1], headers: { 'content-type': 'application/json' } },
          caller,
        );
        expect([reply.status, reply.body.message]).toEqual([422, 'Validation failed']);
      });
      it.each(named(withBody))('%s rejects a body that is not JSON', async (_, row) => {
        const { caller } = service().as(row.audience === 'internal' ? { type: 'system' } : {});
        const reply = await service().send(
          row,
          { params: someParams(row), body: 'a=b', headers: { 'content-type': 'text/plain' } },
          caller,
        );
        expect([reply.status, reply.body.code]).toEqual([415, 'wrong_content_type']);
      });
    }

    // An event stream does not end by itself.
    const withFields = rows.filter((row) => (row.body || row.query) && !isEventStream(row.reply));
    if (withFields.length) {
      it.each(named(withFields))('%s says for invalid fields what is accepted, in our own words', async (_, row) => {
        const { caller } = service().as(row.audience === 'internal' ? { type: 'system' } : {});
        const all = (schema: z.ZodObject | undefined, value: unknown) =>
          schema && Object.fromEntries(Object.keys(schema.shape).map((field) => [field, value]));
        for (const value of [undefined, null, -1.5, '', '\0', [], [null], {}, { '\0': null }, false]) {
          const query = typeof value === 'string' ? all(row.query, value) : {};
          const request = { params: someParams(row), query, ...(row.body && { body: all(row.body, value) }) };
          const { body } = await service().send(row, request as never, caller);
          for (const { message } of body.errors ?? []) expect(message).not.toMatch(wordsOfZod);
        }
      });
    }

    const withId = own.filter(
      (row) => row.params && !recordless.includes(row.id) && (!row.body || acceptsNothing(row)),
    );
    if (withId.length) {
      it.each(named(withId))('%s returns 404 for a record that is not the caller’s', async (_, row) => {
        const { caller } = service().as();
        const reply = await service().send(row, { params: someParams(row), ...(row.body && { body: {} }) }, caller);
        expect([reply.status, reply.body.code]).toEqual([404, 'not_found']);
      });
    }
  });
}

/** Params that name no record. Enum params, such as a record type, get a valid value. */
function someParams(row: Operation): Record<string, string> {
  const params = Object.entries((row.params?.shape ?? {}) as Record<string, z.ZodType>);
  return Object.fromEntries(
    params.map(([field, schema]) => {
      const { examples } = (schema.meta() ?? {}) as { examples?: unknown[] };
      return [field, String(examples?.[0] ?? missingId)];
    }),
  );
}

/** Whether an empty body is valid, so that the request reaches the record. */
function acceptsNothing(row: Operation): boolean {
  return row.body !== undefined && unwrap(row.body) === row.body && row.body.safeParse({}).success;
}
