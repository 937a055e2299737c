import { compare, keysOf, levelOf, type MatchKind, misspeltMailboxes } from './index.ts';

const ada = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada.lovelace@engines.co.uk', phone: '+442071234567' };
const nobody = { firstName: '', lastName: '', email: '', phone: null };

const cases: [string, number, MatchKind, object, object][] = [
  ['an equal address in another case', 1, 'lead', ada, { ...nobody, email: 'ADA.Lovelace@engines.co.uk' }],
  ['an equal address of another name', 1, 'lead', ada, { ...ada, firstName: 'Karl', lastName: 'Marx', phone: null }],
  ['an equal number', 0.95, 'lead', ada, { ...nobody, phone: '+44 20 7123 4567' }],
  ['an equal number with 00 instead of +', 0.95, 'lead', ada, { ...nobody, phone: '00 44 (0)20 7123-4567' }],
  ['an equal number of another person', 0.7, 'lead', ada, { ...ada, firstName: 'Karl', email: 'karl@web.de' }],
  ['an address with a tag', 0.9, 'lead', ada, { ...ada, email: 'ada.lovelace+x@engines.co.uk', phone: null }],
  ['an address with a tag, of no name', 0.85, 'lead', ada, { email: 'ada.lovelace+x@engines.co.uk' }],
  ['an address with other dots', 0.9, 'lead', ada, { ...ada, email: 'adalovelace@engines.co.uk', phone: null }],
  ['an address with other dots, of no name', 0.8, 'lead', ada, { email: 'a.d.a.lovelace@engines.co.uk' }],
  [
    'an address with other dots, of another name',
    0,
    'lead',
    ada,
    { firstName: 'Karl', lastName: 'Marx', email: 'adalovelace@engines.co.uk' },
  ],
  ['an address with a typo', 0.9, 'lead', ada, { ...ada, email: 'ada.lovelcae@engines.co.uk', phone: null }],
  [
    'an address with exchanged letters, of no name',
    0.75,
    'lead',
    { email: 'ada.king@cave.org' },
    { email: 'ada.kign@cave.org' },
  ],
  ['an address with a doubled letter, of no name', 0.75, 'lead', ada, { email: 'ada.lovelacee@engines.co.uk' }],
  ['an address with a typo, of no name', 0.75, 'lead', ada, { email: 'ada.lovelce@engines.co.uk' }],
  [
    'an address with a typo, of another name',
    0,
    'lead',
    { ...ada, phone: null },
    { firstName: 'Karl', lastName: 'Marx', email: 'ada.lovelce@engines.co.uk' },
  ],
  [
    'the addresses of Tim and Tom, of no name',
    0.6,
    'lead',
    { email: 'tim.cook@fruit.com' },
    { email: 'tom.cook@fruit.com' },
  ],
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

it('addresses with one typo are candidates at the same domain, and few are looked up', () => {
  const misspelt = misspeltMailboxes('lead', ada);
  const keyOf = (email: string) => keysOf('lead', { email })['mailbox'];
  for (const local of ['ada.lovelce', 'ada.lovvelace', 'ada.lovelaxe', 'ad.alovelcae'])
    expect(misspelt).toContain(keyOf(`${local}@engines.co.uk`));
  for (const other of ['ada.lovelac@engines.com', 'ada.lovl@engines.co.uk', ada.email])
    expect(misspelt).not.toContain(keyOf(other));
  expect(misspelt.length).toBeLessThan(700);
  expect(misspeltMailboxes('lead', { email: `${'a'.repeat(65)}@engines.co.uk` })).toEqual([]);
});

it('numbers with a country code have one key, whatever is dialled before it', () => {
  const keyOf = (phone: string) => keysOf('lead', { phone })['phoneKey'];
  for (const phone of [
    '+41 44 668 18 00',
    '0041446681800',
    '00 41 44 668 18 00',
    '(00) 41 44 668 18 00',
    '00-41-44-668-1800',
  ])
    expect(keyOf(phone)).toBe('+41446681800');
  for (const phone of ['044 668 18 00', '000 41 44']) expect(keyOf(phone)).toBe(phone);
});
