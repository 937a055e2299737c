import type { LabelledPair } from './pairs.ts';

const person = (firstName: string, lastName: string, email: string, phone: string | null = null) => ({
  firstName,
  lastName,
  email,
  phone,
});
const firm = (name: string, domain: string | null, city = '', phone: string | null = null) => ({
  name,
  domain,
  phone,
  address: { city },
});
const partner = (
  company: string | null,
  firstName: string,
  lastName: string,
  email: string,
  phone: string | null = null,
) => ({
  ...person(firstName, lastName, email, phone),
  company,
});
const pair = (kind: LabelledPair['kind'], isSame: boolean, one: object, other: object): LabelledPair => ({
  kind,
  how: 'written by hand',
  isSame,
  one: { ...one },
  other: { ...other },
});
const same = (one: object, other: object, kind: LabelledPair['kind'] = 'lead') => pair(kind, true, one, other);
const different = (one: object, other: object, kind: LabelledPair['kind'] = 'lead') => pair(kind, false, one, other);

/** Pairs that are easily mistaken. */
export const hardPairs: LabelledPair[] = [
  // Namesakes in one town, with one provider.
  different(person('Thomas', 'Müller', 'thomas.mueller71@web.de'), person('Thomas', 'Müller', 'tm.berlin@web.de')),
  different(person('John', 'Smith', 'john.smith1@gmail.com'), person('John', 'Smith', 'john.smith2@gmail.com')),
  different(
    person('Anna', 'Schmidt', 'anna@gmx.de', '+49305551234'),
    person('Anna', 'Schmidt', 'schmidt.a@gmx.de', '+49305554321'),
  ),
  // A family: one phone number, or one mailbox whose address both gave. The latter cannot be told from one person.
  different(
    person('Karl', 'Weber', 'karl.weber@t-online.de', '+49891234567'),
    person('Ilse', 'Weber', 'ilse.weber@t-online.de', '+49891234567'),
  ),
  different(person('Peter', 'Lang', 'familie.lang@gmx.de'), person('Sabine', 'Lang', 'familie.lang@gmx.de')),
  different(
    person('Mario', 'Rossi', 'mario.rossi@rossi-vini.it', '+39055123456'),
    person('Maria', 'Rossi', 'maria.rossi@rossi-vini.it', '+39055123456'),
  ),
  // Brothers, and colleagues whose names differ little.
  different(
    person('Jan', 'Kowalski', 'jan.kowalski@kowalski.pl'),
    person('Jon', 'Kowalski', 'jon.kowalski@kowalski.pl'),
  ),
  different(person('Hans', 'Meier', 'hans.meier@meier-bau.de'), person('Franz', 'Meier', 'franz.meier@meier-bau.de')),
  different(person('Martin', 'Huber', 'martin.huber@huber.at'), person('Martina', 'Huber', 'martina.huber@huber.at')),
  different(
    person('Simon', 'Keller', 's.keller@uni-basel.ch'),
    person('Simone', 'Keller', 'simone.keller@uni-basel.ch'),
  ),
  different(person('Test', 'User1', 'user1@acme-test.com'), person('Test', 'User2', 'user2@acme-test.com')),
  different(person('Robert', 'King Sr.', 'rking@kingfarm.com'), person('Robert', 'King Jr.', 'bobking@kingfarm.com')),
  // Transliterations.
  same(
    person('Михаил', 'Петров', 'm.petrov@stroyinvest.ru'),
    person('Mikhail', 'Petrov', 'mikhail.petrov@stroyinvest.ru'),
  ),
  same(
    person('Γιώργος', 'Δημητρίου', 'g.dimitriou@athens-trade.gr'),
    person('Giorgos', 'Dimitrioy', 'giorgos@athens-trade.gr'),
  ),
  same(person('Jörg', 'Müller', 'j.mueller@hafen.de'), person('Joerg', 'Mueller', 'joerg.mueller@hafen.de')),
  same(person('Łukasz', 'Wójcik', 'lukasz@nowak-it.pl'), person('Lukasz', 'Wojcik', 'l.wojcik@nowak-it.pl')),
  same(person('Sergey', 'Ivanov', 's.ivanov@neva.com'), person('Sergei', 'Ivanov', 'sergei@neva.com')),
  // Names in another order, with titles, middle names and hyphens.
  same(person('Li', 'Wei', 'li.wei@shenzhen-parts.cn'), person('Wei', 'Li', 'wei@shenzhen-parts.cn')),
  same(person('Dr. Eva', 'Stein', 'eva.stein@klinik-nord.de'), person('Eva', 'Stein', 'e.stein@klinik-nord.de')),
  same(person('Mary', 'Ellis', 'mary.ellis@brook.co.uk'), person('Mary Jane', 'Ellis', 'mellis@brook.co.uk')),
  same(
    person('Jean-Luc', 'Martin', 'jl.martin@lyonnais.fr'),
    person('Jean Luc', 'Martin', 'jean-luc.martin@lyonnais.fr'),
  ),
  // Nicknames.
  same(person('William', 'Gates', 'william.gates@contoso.com'), person('Bill', 'Gates', 'billg@contoso.com')),
  same(
    person('Margaret', "O'Brien", 'margaret@obrien-law.ie', '+35315550100'),
    person('Peggy', 'OBrien', 'peggy.obrien@gmail.com', '+353 (0)1 555 0100'),
  ),
  // A number written in another way.
  same(
    person('Nina', 'Vogel', 'nina@vogel.de', '+49 (0)170 1234567'),
    person('Nina', 'Vogel', 'nv@gmail.com', '+491701234567'),
  ),
  // Only a person who knows both can tell.
  same(person('Ulrike', 'Hahn', 'ulrike.hahn@gmx.de'), person('Ulrike', 'Sommer', 'usommer@web.de')),

  same(firm('Siemens Aktiengesellschaft', 'siemens.com'), firm('Siemens AG', 'www.siemens.com'), 'account'),
  same(
    firm('The Coffee Company Ltd.', 'coffee-co.uk', 'Leeds'),
    firm('Coffee Company Limited', null, 'Leeds'),
    'account',
  ),
  same(firm('Data Works GmbH', 'dataworks.de'), firm('Dataworks', 'dataworks.com'), 'account'),
  same(firm('Müller & Söhne GmbH & Co. KG', null, 'Köln'), firm('Mueller und Söhne', null, 'Köln'), 'account'),
  same(firm('International Business Machines Corp.', 'ibm.com'), firm('IBM', 'ibm.com'), 'account'),
  different(firm('Bosch Holding GmbH', 'bosch.com'), firm('Bosch Services GmbH', 'bosch.com'), 'account'),
  different(
    firm('Bäckerei Schmidt', null, 'Bonn', '+49228111111'),
    firm('Metzgerei Schmidt', null, 'Bonn', '+49228222222'),
    'account',
  ),
  different(firm('Sparkasse Nord', null, 'Kiel'), firm('Sparkasse Süd', null, 'Kiel'), 'account'),
  different(firm('Acme Inc.', 'acme.com'), firm('Acme Ltd', 'acme-tools.co.uk'), 'account'),
  different(firm('Autohaus Berger GmbH', null, 'Linz'), firm('Autohaus Bergner GmbH', null, 'Graz'), 'account'),
  different(firm('Delta Air', 'delta.com'), firm('Delta Faucet', 'deltafaucet.com'), 'account'),

  same(
    partner('Clarke Consulting', 'Joan', 'Clarke', 'joan@clarke.uk'),
    partner('Clarke Consulting Ltd', 'Joan', 'Clarke', 'joan.clarke@gmail.com'),
    'partner',
  ),
  same(
    partner('Nord Handel GmbH', 'Jens', 'Petersen', 'jens@nordhandel.de'),
    partner('Nordhandel', 'Silke', 'Brandt', 'silke.brandt@nordhandel.de'),
    'partner',
  ),
  same(
    partner(null, 'Tim', 'Berg', 'tim.berg@gmail.com'),
    partner('Berg Media', 'Tim', 'Berg', 'timberg@gmail.com'),
    'partner',
  ),
  different(
    partner('Alpha Group', 'Ben', 'Cole', 'ben@alpha.com'),
    partner('Alpha Logistics', 'Amy', 'Ross', 'amy@alpha.com'),
    'partner',
  ),
  different(
    partner('Berg Media', 'Tim', 'Berg', 'tim@bergmedia.de'),
    partner('Hill Software', 'Tim', 'Berg', 'tim@hill.io'),
    'partner',
  ),
  different(
    partner('Coworking Mitte', 'Lea', 'Roth', 'lea@roth.de', '+4930777777'),
    partner('Kunze Design', 'Max', 'Kunze', 'max@kunze.de', '+4930777777'),
    'partner',
  ),
];
