import { type Draw, type LabelledPair, plain } from './pairs.ts';
import { companyWords, firstNames, lastNames, nicknames, publicHosts, trades } from './words.ts';

interface Person {
  firstName: string;
  lastName: string;
  email: string;
  phone: string;
  company?: string;
}

/** A person with an address at a company, or at a public provider. */
export function aPerson(draw: Draw, isAtCompany = draw.below(2) === 0): Person {
  const [firstName, lastName] = [draw.one(firstNames), draw.one(lastNames)];
  const host = isAtCompany ? `${plain(draw.one(companyWords))}-${plain(draw.one(trades))}.com` : draw.one(publicHosts);
  return {
    firstName,
    lastName,
    email: `${plain(firstName)}.${plain(lastName)}${isAtCompany ? '' : draw.below(90) + 10}@${host}`,
    phone: aPhone(draw),
  };
}

export function aPhone(draw: Draw): string {
  return `+4930${1_000_000 + draw.below(8_999_999)}`;
}

const hostOf = ({ email }: Person) => email.slice(email.indexOf('@') + 1);
const privately = (draw: Draw, { firstName, lastName }: Person) =>
  `${plain(firstName).charAt(0)}${plain(lastName)}${draw.below(900) + 100}@${draw.one(publicHosts)}`;

type Maker = (draw: Draw) => [Person, Partial<Record<keyof Person, string | null>>];
const atCompany = (draw: Draw) => aPerson(draw, true);
const withNickname = (draw: Draw, isAtCompany: boolean): Person => {
  const firstName = draw.one([...nicknames.keys()]);
  const person = aPerson(draw, isAtCompany);
  return { ...person, firstName, email: `${plain(firstName)}.${plain(person.lastName)}@${hostOf(person)}` };
};

/** Each makes a person and what another record of the same person has instead. */
const same: Record<string, Maker> = {
  'equal address, other case': (draw) => {
    const person = aPerson(draw);
    return [person, { email: person.email.toUpperCase(), phone: null }];
  },
  'address with a tag': (draw) => {
    const person = aPerson(draw);
    return [person, { email: person.email.replace('@', '+news@'), phone: null }];
  },
  'address without its dot': (draw) => {
    const person = aPerson(draw);
    return [person, { email: person.email.replace('.', ''), phone: null }];
  },
  'typo in the address': (draw) => {
    const person = aPerson(draw);
    const [local = '', host = ''] = person.email.split('@');
    return [
      person,
      { email: `${draw.typo(local.replace(/\d+$/, ''))}${local.match(/\d+$/) ?? ''}@${host}`, phone: null },
    ];
  },
  'equal phone number, moved to another company': (draw) => {
    const person = atCompany(draw);
    return [person, { email: atCompany(draw).email.replace(/^.*@/, `${plain(person.firstName)}@`) }];
  },
  'equal phone number, private address': (draw) => {
    const person = atCompany(draw);
    return [person, { email: privately(draw, person) }];
  },
  'typo in the last name, same company': (draw) => {
    const person = atCompany(draw);
    const lastName = draw.typo(person.lastName);
    return [
      person,
      {
        lastName,
        email: person.email.replace(/^.*@/, `${plain(person.firstName).charAt(0)}.${plain(person.lastName)}@`),
        phone: null,
      },
    ];
  },
  'names exchanged, same company': (draw) => {
    const person = atCompany(draw);
    const email = person.email.replace(/^.*@/, `${plain(person.lastName)}@`);
    return [person, { firstName: person.lastName, lastName: person.firstName, email, phone: null }];
  },
  'initial for the first name, same company': (draw) => {
    const person = atCompany(draw);
    const initial = person.firstName.charAt(0);
    return [
      person,
      {
        firstName: `${initial}.`,
        email: person.email.replace(/^.*@/, `${plain(initial)}${plain(person.lastName)}@`),
        phone: null,
      },
    ];
  },
  'nickname, same company': (draw) => {
    const person = withNickname(draw, true);
    const firstName = nicknames.get(person.firstName) ?? '';
    return [person, { firstName, email: person.email.replace(/^.*@/, `${plain(firstName)}@`), phone: null }];
  },
  'nickname, equal phone number': (draw) => {
    const person = withNickname(draw, false);
    const firstName = nicknames.get(person.firstName) ?? '';
    return [person, { firstName, email: privately(draw, person) }];
  },
  'same name at one company by name': (draw) => {
    const company = `${draw.one(companyWords)} ${draw.one(trades)}`;
    const person = { ...aPerson(draw, false), company: `${company} GmbH` };
    return [person, { email: privately(draw, person), company, phone: null }];
  },
  'nothing but the name': (draw) => {
    const person = aPerson(draw);
    return [person, { email: privately(draw, person), phone: null }];
  },
};

/** Each makes a person and what the record of another, similar person has instead. */
const different: Record<string, Maker> = {
  namesakes: (draw) => {
    const person = aPerson(draw);
    return [person, { email: privately(draw, person), phone: aPhone(draw) }];
  },
  'family with one phone number': (draw) => {
    const person = aPerson(draw, false);
    const firstName = draw.another(firstNames, person.firstName);
    return [person, { firstName, email: `${plain(firstName)}.${plain(person.lastName)}@${hostOf(person)}` }];
  },
  'office with one phone number': (draw) => {
    const person = atCompany(draw);
    const [firstName, lastName] = [
      draw.another(firstNames, person.firstName),
      draw.another(lastNames, person.lastName),
    ];
    return [person, { firstName, lastName, email: `${plain(firstName)}.${plain(lastName)}@${hostOf(person)}` }];
  },
  'siblings at one company': (draw) => {
    const person = atCompany(draw);
    const firstName = draw.another(firstNames, person.firstName);
    const email = `${plain(firstName)}.${plain(person.lastName)}@${hostOf(person)}`;
    return [person, { firstName, email, phone: aPhone(draw) }];
  },
  'colleagues with one first name': (draw) => {
    const person = atCompany(draw);
    const lastName = draw.another(lastNames, person.lastName);
    return [
      person,
      { lastName, email: `${plain(person.firstName)}.${plain(lastName)}@${hostOf(person)}`, phone: aPhone(draw) },
    ];
  },
  'namesakes at one company with numbered addresses': (draw) => {
    const person = atCompany(draw);
    return [person, { email: person.email.replace('@', '2@'), phone: aPhone(draw) }];
  },
  'father and son at one company': (draw) => {
    const person = atCompany(draw);
    return [
      { ...person, lastName: `${person.lastName} Sr.` },
      { lastName: `${person.lastName} Jr.`, email: person.email.replace('@', '.jr@'), phone: aPhone(draw) },
    ];
  },
  'strangers at one provider': (draw) => {
    const [person, stranger] = [aPerson(draw, false), aPerson(draw, false)];
    return [person, { ...stranger, email: `${stranger.email.replace(/@.*/, '')}x@${hostOf(person)}` }];
  },
};

const [samePerKind, differentPerKind] = [14, 22];

export function leadPairs(draw: Draw): LabelledPair[] {
  const make = (makers: Record<string, Maker>, isSame: boolean, count: number) =>
    Object.entries(makers).flatMap(([how, maker]) =>
      Array.from({ length: count }, (): LabelledPair => {
        const [one, changed] = maker(draw);
        return { kind: 'lead', how, isSame, one, other: { ...one, ...changed } };
      }),
    );
  return [...make(same, true, samePerKind), ...make(different, false, differentPerKind)];
}
