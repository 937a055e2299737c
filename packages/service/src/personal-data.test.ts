import type { Person } from '@tandem/contract';
import { addressPattern, mentionPattern, mentionTest } from './personal-data.ts';

const lee: Person = {
  leadIds: [1],
  leadCodes: ['khzasVT5ZxaVtyRs'],
  emails: ['lee@acme.com'],
  names: ['Lee Era'],
  phones: ['+442079460018', '110'],
  taskIds: [],
  activityIds: [],
  calendarEventIds: [],
  recordCodes: [],
  opportunityIds: [],
};

describe('a text with an address, a phone number or an id of the person', () => {
  const isFound = mentionTest(addressPattern(lee, lee.leadCodes));

  it.each([
    'lee@acme.com',
    'Mail to <LEE@acme.com>.',
    'mailto:lee@acme.com',
    '{"email": "lee@acme.com"}',
    String.raw`{"body": "Hello\nlee@acme.com wrote"}`,
    'Write to lee@acme.com. Thanks',
    'tel:+442079460018',
    '{"leadId":"khzasVT5ZxaVtyRs"}',
  ])('is found: %s', (text) => expect(isFound(text)).toBe(true));

  it.each([
    'ashlee@acme.com',
    'dr.lee@acme.com',
    'lee@acme.company',
    'lee@acme.com.au',
    'leeXacme.com',
    '+4420794600189',
    'call 110',
    'Lee Era',
    'khzasVT5ZxaVtyRsX',
  ])('is not found: %s', (text) => expect(isFound(text)).toBe(false));
});

it('a mention is a whole name, so that the text that replaces it is none', () => {
  const isMention = mentionTest(mentionPattern(lee, ['Era']));
  expect(['Deal with Lee Era', "Era's deal", 'lee@acme.com'].map(isMention)).toEqual([true, true, true]);
  expect(['Erased', 'Several deals', 'Lee Erasmus'].map(isMention)).toEqual([false, false, false]);
});

it('a person without an address and a name is mentioned nowhere', () => {
  const nobody = { ...lee, emails: [], phones: [], names: [] };
  expect([addressPattern(nobody), mentionPattern(nobody)].map((one) => mentionTest(one)('Any text'))).toEqual([
    false,
    false,
  ]);
});

it('a name with special characters is no expression', () => {
  const isMention = mentionTest(
    mentionPattern({ ...lee, names: ['.* (x) [y] {2} ^$ | \\ + ?'], emails: [], phones: [] }),
  );
  expect(isMention('anything')).toBe(false);
  expect(isMention('about .* (x) [y] {2} ^$ | \\ + ? today')).toBe(true);
});
