// Synthetic leads, opportunities and partners whose relevance for a query follows from how they were made.

export interface Labelled {
  id: string;
  type: 'lead' | 'opportunity' | 'partner';
  data: Record<string, unknown>;
}

const firstNames = [
  ...['Johanna', 'Mirjam', 'José', 'Łukasz', 'Zoë', 'Renée', 'Björn', 'Siobhán', 'Anaïs', 'Jürgen', 'Chloé', 'Dragoş'],
  ...['Matthias', 'Katarzyna', 'Stephanie', 'Giuseppe', 'Alejandra', 'Christopher', 'Margarethe', 'Guillaume'],
];
const lastNames = [
  ...[
    'Sommerfeld',
    'Schröder',
    'García',
    'Kowalczyk',
    'Lefèvre',
    'Öztürk',
    'Andersson',
    'O’Brien',
    'Fernández',
    'Weiß',
  ],
  ...[
    'Papadopoulos',
    'Novák',
    'Bergström',
    'Rodríguez',
    'Zimmermann',
    'Wiśniewski',
    'Dubois',
    'Hoffmann',
    'Castellano',
  ],
  ...['Brandenburg', 'Johansson', 'Montgomery', 'Szymański'],
];
/** A company, what it does, and a word that only notes about it have. */
const companies = [
  ['Alpenblick Maschinenbau', 'mechanical engineering', 'turbines'],
  ['Nordlicht Software', 'software development', 'observability'],
  ['Rheinkraft Energie', 'renewable energy', 'photovoltaics'],
  ['Bäckerei Sonnenschein', 'bakery chain', 'sourdough'],
  ['Iberia Logística', 'logistics and freight', 'warehousing'],
  ['Vistula Farmaceutyka', 'pharmaceutical research', 'immunology'],
  ['Atelier Lumière', 'lighting design', 'chandeliers'],
  ['Hanseatic Shipping', 'container shipping', 'harbours'],
  ['Bosporus Textil', 'textile production', 'weaving'],
  ['Fjord Seafood', 'fish farming', 'salmon'],
  ['Celtic Whiskey', 'distillery', 'barrels'],
  ['Danube Insurance', 'insurance brokerage', 'underwriting'],
  ['Helvetia Uhrwerk', 'watchmaking', 'chronometers'],
  ['Tundra Geodata', 'satellite mapping', 'cartography'],
  ['Olive Grove Foods', 'olive oil export', 'orchards'],
  ['Quantum Cryo Labs', 'cryogenic instruments', 'helium'],
  ['Mosaic Recruitment', 'staffing agency', 'headhunting'],
  ['Pinewood Furniture', 'furniture workshop', 'carpentry'],
  ['Sirocco Airlines', 'regional airline', 'turboprops'],
  ['Glacier Water', 'mineral water bottling', 'springs'],
] as const;
const subjects = [
  ['budget approved for next quarter', 'asked for a demo', 'met at the trade fair in Hannover'],
  ['wants a discount for three years', 'compares with two competitors', 'legal review is pending'],
  ['prefers calls in the morning', 'moved to the Berlin office', 'needs an offer in Spanish'],
].flat();

const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;

/** Latin letters without accents, as in an address. */
export function ascii(text: string): string {
  return text
    .replaceAll('ł', 'l')
    .replaceAll('Ł', 'L')
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/[^A-Za-z]/g, '');
}

/** How a lead was made, for its labels. */
export interface Made extends Labelled {
  first: string;
  last: string;
  company: string;
  trade: string;
  noteWord: string;
}

/** A lead by its number. */
export function leadOf(n: number): Made {
  const [company, trade, noteWord] = pick(companies, n);
  const [first, last] = [pick(firstNames, n * 7 + Math.floor(n / 20)), pick(lastNames, n * 5 + Math.floor(n / 20) * 3)];
  const domain = `${ascii(company).toLowerCase().slice(0, 12)}.example`;
  return {
    id: `lead-${n}`,
    type: 'lead',
    ...{ first, last, company, trade, noteWord },
    data: {
      firstName: first,
      lastName: last,
      email: `${ascii(first)}.${ascii(last)}${n}@${domain}`.toLowerCase(),
      phone: `+4930${1_000_000 + n * 37}`,
      company,
      notes: `${pick(subjects, n)}; ${n % 3 === 0 ? `interested in ${noteWord}` : trade}`,
      status: pick(['new', 'contacted', 'qualified'], n),
      score: (n * 13) % 100,
      createdAt: new Date(Date.UTC(2026, 0, 1 + (n % 300))).toISOString(),
    },
  };
}

/** 240 leads: each company has 12, and names repeat in other combinations. */
export const leads: Made[] = Array.from({ length: 240 }, (_, n) => leadOf(n));

/** 80 opportunities about four products. */
export const products = [
  'platform licence',
  'onboarding workshop',
  'maintenance contract',
  'hardware rollout',
] as const;
export const opportunities: Made[] = Array.from({ length: 80 }, (_, n) => {
  const [company, trade, noteWord] = pick(companies, n);
  const product = pick(products, Math.floor(n / 20));
  return {
    id: `opportunity-${n}`,
    type: 'opportunity',
    ...{ first: '', last: product, company, trade, noteWord },
    data: {
      name: `${company}, ${product}`,
      notes: pick(subjects, n + 3),
      stage: pick(['proposal', 'negotiation'], n),
      value: 1_000 + n * 250,
      currency: 'EUR',
    },
  };
});

/** 20 partners, one for each trade. */
export const partners: Made[] = companies.map(([company, trade, noteWord], n) => ({
  id: `partner-${n}`,
  type: 'partner',
  ...{ first: pick(firstNames, n * 3), last: pick(lastNames, n * 7), company: `${company} Partners`, trade, noteWord },
  data: {
    company: `${company} Partners`,
    contactName: `${pick(firstNames, n * 3)} ${pick(lastNames, n * 7)}`,
    notes: `reseller for ${trade}`,
    tier: pick(['gold', 'silver'], n),
    status: 'approved',
  },
}));
