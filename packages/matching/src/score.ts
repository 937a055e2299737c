import type { Signal } from './signal.ts';

/** The compared fields; undefined where one of the records lacks the field. */
export type Evidence = Readonly<Record<Signal['field'], Signal | undefined>>;

// A name alone, of a person or a company, is never more than possible.
const alone = 0.6;
const doubted = 0.65;
const shared = 0.7;

/** The similarity of a field that matches; 0 otherwise. */
function match(signal: Signal | undefined): number {
  return signal?.matched ? signal.similarity : 0;
}

export function scorePerson({ email, phone, name, company, domain }: Evidence): number {
  const together = Math.max(domain?.similarity === 1 ? 1 : 0, match(company));
  const inCompany = match(name) && together ? match(name) * alone + together * 0.3 : 0;
  return Math.max(
    byAddress(email, name),
    byPhone(phone, name, name?.conflicts === true),
    // A company gives each of two namesakes an address of their own.
    email?.conflicts ? Math.min(inCompany, doubted) : inCompany,
    match(name) * alone,
  );
}

/**
 * An equal address is the same person whatever the names; a variant of it is the same mailbox, so likely the same person. A typo
 * needs a name that matches, or no name to compare.
 */
function byAddress(email: Signal | undefined, name: Signal | undefined): number {
  if (email?.reason === 'email') return 1;
  if (email?.reason === 'email_variant') return name?.conflicts ? 0.75 : 0.85 + 0.05 * match(name);
  if (email?.reason === 'email_dots') return name?.conflicts ? 0 : Math.max(0.8, byName(name));
  if (email?.reason === 'email_typo') return name ? byName(name) : 0.75;
  if (email?.reason === 'email_similar') return name ? byName(name) : alone;
  return 0;
}

/** The score of two similar addresses, which are those of two people unless the names match. */
function byName(name: Signal | undefined): number {
  return match(name) && 0.6 + 0.25 * match(name);
}

/** Families and offices share a number: people with different names are at most possible. */
function byPhone(phone: Signal | undefined, name: Signal | undefined, areOthers: boolean): number {
  if (!phone?.matched) return 0;
  return areOthers ? shared : 0.95 + 0.04 * match(name);
}

export function scoreCompany({ email, phone, company, domain, city }: Evidence): number {
  const [name, site] = [match(company), match(domain)];
  const isOtherSite = domain !== undefined && !domain.matched;
  const isOtherCity = city !== undefined && !city.matched;
  const bySite = site === 1 ? ofSite(company) : 0;
  const near = Math.max(site && !isOtherCity ? 0.25 : 0, city?.matched && !isOtherSite ? 0.25 : 0);
  const ofName = name && near ? name * alone + near : name * alone;
  // Two forms of one name are two companies unless more is equal.
  const isForm = company?.reason === 'company' && company.similarity < 1;
  return Math.max(
    email?.reason === 'email' ? 1 : 0,
    byPhone(phone, company, company?.matched === false),
    bySite,
    isForm ? Math.min(ofName, doubted) : ofName,
  );
}

/** With one website; companies of a group share it, and a company that was renamed keeps it. */
function ofSite(company: Signal | undefined): number {
  if (!company) return 0.95;
  if (company.matched) return 0.87 + 0.1 * company.similarity;
  return company.conflicts ? shared : 0.8;
}

export function scorePartner({ email, phone, name, company, domain }: Evidence): number {
  const [person, firm, site] = [match(name), match(company), domain?.similarity === 1 ? 1 : 0];
  // Another contact of the same company may be the same partner, another contact of another company is not.
  const areOthers = company
    ? company.conflicts === true || (!firm && name?.conflicts === true)
    : name?.conflicts === true;
  const isRelated = company?.conflicts === true;
  const bySite = site && firm ? firm * alone + 0.3 : site && person ? person * alone + 0.3 : 0;
  return Math.max(
    byAddress(email, name),
    byPhone(phone, firm ? company : name, areOthers),
    isRelated ? Math.min(bySite, doubted) : bySite,
    person && firm ? person * 0.45 + firm * 0.45 : 0,
    person * alone,
    firm * alone,
  );
}
