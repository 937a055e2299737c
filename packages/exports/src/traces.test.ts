import { traceOf } from './traces.ts';

it('a trace has the ids and addresses of a record, also nested ones, and no texts', () => {
  const record = {
    id: 'lead_9fK2',
    firstName: 'Ada Augusta',
    note: 'Met at the fair',
    email: 'ada@example.com',
    phone: '+44 20 7946 0018',
    score: 10,
    createdAt: new Date(0),
    links: [{ recordId: 'acct_77xQ' }, null],
  };
  expect(traceOf(record)).toBe('lead_9fK2 ada@example.com +44 20 7946 0018 acct_77xQ');
});

it('a trace has every attendee of the largest calendar event', () => {
  const attendees = Array.from({ length: 100 }, (_, n) => ({
    userId: `user_${n}`,
    email: `guest${n}@example.com`,
    name: `Guest${n}`,
  }));
  expect(traceOf({ id: 'event_1', attendees })).toContain('guest99@example.com');
});
