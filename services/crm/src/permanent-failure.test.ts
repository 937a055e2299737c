import { leadCreated } from '@tandem/crm-contract';
import { consumer, PermanentError } from '@tandem/events';
import { testService, until } from '@tandem/testing';
import { aLead, alone } from './crm.test-service.ts';
import { crmService } from './service.ts';

// Prisma error messages contain an excerpt of the calling code.
const text = `Invalid call in lead.ts:13:5\n\n  12 const it = (\n→ 13   call(\n    at call (lead.ts:13:5)\n${'No such thing. '.repeat(20)}`;

it('dead-letters an event at once on a PermanentError, and handles the other events of its batch', async () => {
  const handled: string[] = [];
  const picky = consumer({
    name: 'picky',
    on: [leadCreated],
    async handle(events) {
      if (events.some(({ data }) => data.email === 'never@example.com')) throw new PermanentError(text);
      handled.push(...events.map(({ data }) => data.email));
    },
  });
  const service = await testService('crm', (settings) => ({
    ...crmService({ ...settings, ...alone }),
    consumers: [picky],
  }));
  try {
    const api = service.as();
    for (const name of ['before', 'never', 'after'])
      await api.createLead({ body: aLead({ email: `${name}@example.com` }) });
    const [letter] = await until('it is a dead letter', async () => {
      const letters = await service.deadLetters('picky');
      return letters.length > 0 && letters;
    });
    await until('the others are handled', () => handled.length === 2);
    expect(new Set(handled)).toEqual(new Set(['before@example.com', 'after@example.com']));
    expect(letter).toMatchObject({ name: 'lead.created', reason: 'permanent', attempts: 1 });
    expect(letter?.fullError).toBe(`PermanentError: ${text}`);
    expect(letter?.error).toMatch(/^PermanentError: Invalid call in lead.ts:13:5 No such thing\. No .*…$/);
    expect(letter?.error.length).toBeLessThanOrEqual(160);
  } finally {
    await service.close();
  }
});
