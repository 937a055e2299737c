import { randomBytes, randomUUID } from 'node:crypto';
import { createSeal } from '@tandem/sealed';
import { seal } from './mail.test-instance.ts';
import { idPart, type MessageRef, refsIn } from './message-ref.ts';

const aRef = (fields: Partial<MessageRef> = {}): MessageRef => ({
  ref: randomUUID(),
  tenantId: 7,
  environment: 'live',
  ...fields,
});

it.each([{}, { tenantId: 2 ** 24 - 1 }, { environment: 'sandbox' as const }])(
  'a Message-ID names its message, tenant and environment: %j',
  (fields) => {
    const message = aRef(fields);
    expect(refsIn(seal, `Re: <${idPart(seal, message)}@example.com>`)).toEqual([message]);
  },
);

it('finds all Message-IDs of this deployment in a text, in its order, and no others', () => {
  const [one, two, other] = [aRef(), aRef({ tenantId: 8 }), aRef()];
  const foreign = createSeal(randomBytes(32).toString('base64'));
  const text = [one, two].map((message) => `<${idPart(seal, message)}@a.example>`).join(' ');
  const strange = `<${idPart(foreign, other)}@a.example> <${randomUUID()}@a.example> <x@y>`;
  expect(refsIn(seal, `${strange}\n ${text}`)).toEqual([one, two]);
});

it('does not show the tenant', () => {
  const [one, two] = [idPart(seal, aRef()), idPart(seal, aRef())];
  expect(one?.split('.')[1]).not.toBe(two?.split('.')[1]);
});

it('does not read a tag that it did not make', () => {
  const id = idPart(seal, aRef());
  const last = id.endsWith('0') ? '1' : '0';
  expect(refsIn(seal, `<${id.slice(0, -1)}${last}@a.example>`)).toEqual([]);
});
