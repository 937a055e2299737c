import { aPerson } from './leads.ts';
import { type Draw, type LabelledPair, plain } from './pairs.ts';
import { lastNames } from './words.ts';

const localOf = (email: string) => email.slice(0, email.indexOf('@'));
const replaceLocal = (email: string, local: string) => `${local}${email.slice(email.indexOf('@'))}`;
// First and last names of two people that differ by one letter.
const firstNamesAlike = [
  ['tim', 'tom'],
  ['jan', 'jane'],
  ['mario', 'maria'],
  ['anna', 'anne'],
  ['lena', 'lina'],
  ['mark', 'mary'],
  ['martin', 'martina'],
  ['ben', 'bea'],
] as const;
const lastNamesAlike = [
  ['maier', 'mayer'],
  ['lang', 'lange'],
  ['klein', 'kleint'],
  ['hansen', 'jansen'],
  ['berg', 'burg'],
] as const;

/** Each makes two addresses of one person. */
const same: Record<string, (draw: Draw) => [string, string]> = {
  'address alone, with a tag': (draw) => {
    const { email } = aPerson(draw);
    return [email, email.replace('@', '+news@')];
  },
  'address alone, without its dot': (draw) => {
    const { email } = aPerson(draw);
    return [email, email.replace('.', '')];
  },
  'address alone, with a typo': (draw) => {
    const { email } = aPerson(draw);
    const digits = localOf(email).match(/\d+$/)?.[0] ?? '';
    return [email, replaceLocal(email, `${draw.typo(localOf(email).replace(/\d+$/, ''))}${digits}`)];
  },
};

/** Each makes the addresses of two people. */
const different: Record<string, (draw: Draw) => [string, string]> = {
  'addresses alone, first names that differ by a letter': (draw) => {
    const [one, other] = draw.one(firstNamesAlike);
    const [{ email }, last] = [aPerson(draw), plain(draw.one(lastNames))];
    return [replaceLocal(email, `${one}.${last}`), replaceLocal(email, `${other}.${last}`)];
  },
  'addresses alone, last names that differ by a letter': (draw) => {
    const [one, other] = draw.one(lastNamesAlike);
    const { email, firstName } = aPerson(draw);
    return [replaceLocal(email, `${plain(firstName)}.${one}`), replaceLocal(email, `${plain(firstName)}.${other}`)];
  },
  'addresses alone, numbered': (draw) => {
    const { email } = aPerson(draw);
    return [email, email.replace('@', '3@')];
  },
  'addresses alone, colleagues with one first name': (draw) => {
    const { email, firstName, lastName } = aPerson(draw, true);
    const other = draw.another(lastNames, lastName);
    return [email, replaceLocal(email, `${plain(firstName)}.${plain(other)}`)];
  },
};

const [samePerKind, differentPerKind] = [14, 8];

/** Leads of which nothing but the address is known, such as those that a client asks for. */
export function addressPairs(draw: Draw): LabelledPair[] {
  const make = (makers: typeof same, isSame: boolean, count: number) =>
    Object.entries(makers).flatMap(([how, maker]) =>
      Array.from({ length: count }, (): LabelledPair => {
        const [one, other] = maker(draw);
        return { kind: 'lead', how, isSame, one: { email: one }, other: { email: other } };
      }),
    );
  return [...make(same, true, samePerKind), ...make(different, false, differentPerKind)];
}
