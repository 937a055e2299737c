import { aPerson, aPhone } from './leads.ts';
import { type Draw, type LabelledPair, plain } from './pairs.ts';
import { cities, companyWords, legalForms, trades } from './words.ts';

interface Company {
  name: string;
  domain: string | null;
  phone: string | null;
  address: { city: string };
}

type Maker<Kind> = (draw: Draw) => [Kind, { [Field in keyof Kind]?: Kind[Field] | null }];

function aCompany(draw: Draw): Company & { bare: string } {
  const bare = `${draw.one(companyWords)} ${draw.one(companyWords)} ${draw.one(trades)}`;
  const [name, domain] = [`${bare} ${draw.one(legalForms)}`, `${plain(bare)}.com`];
  return { bare, name, domain, phone: aPhone(draw), address: { city: draw.one(cities) } };
}

const sameAccounts: Record<string, Maker<Company>> = {
  'equal domain, without the legal form': (draw) => {
    const { bare, ...company } = aCompany(draw);
    return [company, { name: bare, phone: null }];
  },
  'domain of another country': (draw) => {
    const { bare, ...company } = aCompany(draw);
    return [company, { name: bare, domain: `${plain(bare)}.de`, phone: null }];
  },
  'typo, same city': (draw) => {
    const { bare, ...company } = aCompany(draw);
    return [company, { name: draw.typo(bare), domain: null, phone: null }];
  },
  'written as one word, same city': (draw) => {
    const { bare, ...company } = aCompany(draw);
    return [company, { name: bare.replaceAll(' ', ''), domain: null, phone: null }];
  },
  'equal phone number, short name': (draw) => {
    const { bare, ...company } = aCompany(draw);
    return [company, { name: bare.split(' ').slice(0, 2).join(' '), domain: null }];
  },
  'equal domain, renamed': (draw) => {
    const { bare, ...company } = aCompany(draw);
    return [company, { name: `${bare.split(' ')[0]} ${draw.one(trades)}`, phone: null }];
  },
  'nothing but the name': (draw) => {
    const { bare, ...company } = aCompany(draw);
    return [company, { name: bare, domain: null, phone: null, address: { city: '' } }];
  },
};

const otherAccounts: Record<string, Maker<Company>> = {
  'subsidiary with the domain of its holding': (draw) => {
    const { bare, ...company } = aCompany(draw);
    return [
      { ...company, name: `${bare} Holding AG` },
      { name: `${bare} Services GmbH`, phone: aPhone(draw) },
    ];
  },
  'subsidiary with the phone number of its holding': (draw) => {
    const { bare, ...company } = aCompany(draw);
    return [
      { ...company, name: `${bare} Holding AG` },
      { name: `${bare} GmbH`, domain: null },
    ];
  },
  'namesake with another domain': (draw) => {
    const { bare, ...company } = aCompany(draw);
    return [
      company,
      { domain: `${plain(bare)}-${draw.one(cities).toLowerCase()}.com`, phone: aPhone(draw), address: { city: '' } },
    ];
  },
  'one word in common, same city': (draw) => {
    const { bare, ...company } = aCompany(draw);
    const name = `${bare.split(' ')[0]} ${draw.one(companyWords)} ${draw.one(trades)}`;
    return [company, { name: `${name} ${draw.one(legalForms)}`, domain: `${plain(name)}.net`, phone: aPhone(draw) }];
  },
  'companies with different numbers, same city': (draw) => {
    const { bare, ...company } = aCompany(draw);
    return [
      { ...company, name: `${bare} 1 GmbH` },
      { name: `${bare} 2 GmbH`, domain: null, phone: null },
    ];
  },
  'two firms in one building with one phone number': (draw) => {
    const [{ bare, ...company }, other] = [aCompany(draw), aCompany(draw)];
    return [company, { name: other.name, domain: other.domain }];
  },
};

interface Partner {
  firstName: string;
  lastName: string;
  email: string;
  phone: string | null;
  company: string | null;
}

function aPartner(draw: Draw): Partner & { host: string; bare: string } {
  const { bare, name } = aCompany(draw);
  const { firstName, lastName, phone } = aPerson(draw, true);
  const host = `${plain(bare)}.com`;
  return {
    bare,
    host,
    firstName,
    lastName,
    phone,
    company: name,
    email: `${plain(firstName)}.${plain(lastName)}@${host}`,
  };
}

const samePartners: Record<string, Maker<Partner>> = {
  'equal address': (draw) => {
    const { bare, host, ...partner } = aPartner(draw);
    return [partner, { company: bare, phone: null }];
  },
  'another contact of the same company': (draw) => {
    const { bare, host, ...partner } = aPartner(draw);
    const { firstName, lastName } = aPerson(draw, true);
    const email = `${plain(firstName)}.${plain(lastName)}@${host}`;
    return [partner, { firstName, lastName, email, company: bare, phone: null }];
  },
  'private address of the contact': (draw) => {
    const { bare, host, ...partner } = aPartner(draw);
    return [partner, { email: aPerson(draw, false).email, company: bare, phone: null }];
  },
  'equal phone number, typo in the company': (draw) => {
    const { bare, host, ...partner } = aPartner(draw);
    return [partner, { email: aPerson(draw, false).email, company: draw.typo(bare) }];
  },
  'typo in the name of the contact, without company': (draw) => {
    const { bare, host, ...partner } = aPartner(draw);
    return [
      partner,
      {
        lastName: draw.typo(partner.lastName),
        email: `${plain(partner.firstName)}@${host}`,
        company: null,
        phone: null,
      },
    ];
  },
  'address with a tag': (draw) => {
    const { bare, host, ...partner } = aPartner(draw);
    return [partner, { email: partner.email.replace('@', '+partner@'), company: null, phone: null }];
  },
  'nothing but the company': (draw) => {
    const { bare, host, ...partner } = aPartner(draw);
    return [partner, { ...aPerson(draw, false), company: bare }];
  },
};

const otherPartners: Record<string, Maker<Partner>> = {
  'namesake of another company': (draw) => {
    const [{ bare, host, ...partner }, other] = [aPartner(draw), aPartner(draw)];
    const { company, phone } = other;
    return [partner, { company, phone, email: `${plain(partner.firstName)}.${plain(partner.lastName)}@${other.host}` }];
  },
  'company of the same name with another domain': (draw) => {
    const [{ bare, host, ...partner }, other] = [aPartner(draw), aPartner(draw)];
    return [partner, { ...aPerson(draw), company: bare, email: `info@${other.host}` }];
  },
  'holding and subsidiary': (draw) => {
    const { bare, host, ...partner } = aPartner(draw);
    const { firstName, lastName } = aPerson(draw, true);
    const email = `${plain(firstName)}.${plain(lastName)}@${host}`;
    return [
      { ...partner, company: `${bare} Holding AG` },
      { firstName, lastName, email, company: `${bare} Logistics GmbH`, phone: null },
    ];
  },
  'two offices with one phone number': (draw) => {
    const [{ bare, host, ...partner }, other] = [aPartner(draw), aPartner(draw)];
    const { firstName, lastName, email, company } = other;
    return [partner, { firstName, lastName, email, company }];
  },
  'strangers at one provider': (draw) => {
    const [one, other] = [aPerson(draw, false), aPerson(draw, false)];
    return [
      { ...one, company: aCompany(draw).name },
      { ...other, company: aCompany(draw).name },
    ];
  },
};

const perMaker = 16;

export function companyPairs(draw: Draw): LabelledPair[] {
  const make = <Kind extends object>(
    kind: 'account' | 'partner',
    makers: Record<string, Maker<Kind>>,
    isSame: boolean,
  ) =>
    Object.entries(makers).flatMap(([how, maker]) =>
      Array.from({ length: perMaker }, (): LabelledPair => {
        const [one, changed] = maker(draw);
        return { kind, how, isSame, one: { ...one }, other: { ...one, ...changed } };
      }),
    );
  return [
    ...make('account', sameAccounts, true),
    ...make('account', otherAccounts, false),
    ...make('partner', samePartners, true),
    ...make('partner', otherPartners, false),
  ];
}
