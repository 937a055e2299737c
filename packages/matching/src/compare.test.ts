import { compare, keysOf, levelOf, type MatchKind } from './index.ts';

const ada = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada.lovelace@engines.co.uk', phone: '+442071234567' };
const nobody = { firstName: '', lastName: '', email: '', phone: null };

const cases: [string, number, MatchKind, object, object][] = [
  ['an equal address in another case', 1, 'lead', ada, { ...nobody, email: 'ADA.Lovelace@engines.co.uk' }],
  ['an equal address of another name', 1, 'lead', ada, { ...ada, firstName: 'Karl', lastName: 'Marx', phone: null }],
  ['an equal number', 0.95, 'lead', ada, { ...nobody, phone: '+44 20 7123 4567' }],
  ['an equal number of another person', 0.7, 'lead', ada, { ...ada, firstName: 'Karl', email: 'karl@web.de' }],
  ['an address with a tag', 0.9, 'lead', ada, { ...ada, email: 'ada.lovelace+x@engines.co.uk', phone: null }],
  ['an address with a tag, of no name', 0.85, 'lead', ada, { email: 'ada.lovelace+x@engines.co.uk' }],
  ['a name alone', 0.6, 'lead', ada, { ...ada, email: 'al@gmail.com', phone: null }],
  ['a name at one company', 0.9, 'lead', ada, { ...ada, email: 'al@engines.co.uk', phone: null }],
  [
    'a name at one mail provider',
    0.6,
    'lead',
    { ...ada, email: 'al@gmx.de' },
    { ...ada, email: 'al2@gmx.de', phone: null },
  ],
  [
    'a name with the addresses of two people',
    0.65,
    'lead',
    ada,
    { ...ada, email: 'jane.lovelace@engines.co.uk', phone: null },
  ],
  ['nothing', 0, 'lead', ada, { firstName: 'Karl', lastName: 'Marx', email: 'k@m.de' }],
  [
    'an equal domain and name',
    0.97,
    'account',
    { name: 'Acme GmbH', domain: 'acme.com' },
    { name: 'ACME', website: 'https://www.acme.com/de' },
  ],
  ['a company name alone', 0.6, 'account', { name: 'Acme GmbH' }, { name: 'Acme' }],
  ['a company name with another legal form', 0.48, 'account', { name: 'Acme GmbH' }, { name: 'Acme Inc.' }],
  [
    'a holding with its subsidiary',
    0.7,
    'account',
    { name: 'Acme Holding', domain: 'acme.com' },
    { name: 'Acme Services', domain: 'acme.com' },
  ],
  [
    'a contact at one company',
    0.9,
    'partner',
    { ...ada, company: 'Engines Ltd' },
    { ...nobody, firstName: 'Ada', lastName: 'Lovelace', company: 'Engines', email: 'al@gmail.com' },
  ],
];

it.each(cases)('%s scores %d', (_, score, kind, one, other) => {
  expect(compare(kind, one, other)).toMatchObject({ score, level: levelOf(score) });
  expect(compare(kind, other, one).score).toBe(score);
});

it('signals name the compared fields with their similarity', () => {
  const { signals } = compare('lead', ada, { ...ada, email: 'al@engines.co.uk', phone: '+49301234567' });
  expect(signals).toMatchObject([
    { field: 'email', matched: false },
    { field: 'phone', similarity: 0, matched: false },
    { field: 'name', similarity: 1, matched: true, reason: 'name' },
    { field: 'domain', similarity: 1, matched: true },
  ]);
});

it('values of another form than in records are ignored', () => {
  const strange = { firstName: 1, lastName: [], email: {}, phone: 'x', website: '://', address: 'Berlin', company: '' };
  expect(compare('partner', strange, strange).score).toBe(0.95);
  expect(Object.values(keysOf('partner', { ...strange, phone: null })).filter(Boolean)).toEqual([]);
});
