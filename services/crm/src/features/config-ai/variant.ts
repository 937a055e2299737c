/** Industries with templates, by keywords in the prompt; the first match wins. */
const keywords = {
  insurance: /\b(insurance|insurers?|insured|polic(y|ies)|underwrit\w*|premiums?)\b/,
  real_estate: /\b(real[ -]?estate|realtors?|propert(y|ies)|apartments?|hous(e|es|ing)|landlords?)\b/,
  recruiting: /\b(recruit\w*|hiring|candidates?|staffing|talent|headhunt\w*|applicants?)\b/,
  events: /\b(events?|conferences?|weddings?|venues?|exhibitors?|tickets?|sponsors?(hip)?|trade ?shows?)\b/,
  saas: /\b(saas|software|subscriptions?|trials?|startups?|apps?|cloud)\b/,
};

export type Variant = keyof typeof keywords | 'generic';

/** The template variant for a prompt, independent of case and spacing. */
export function variantOf(prompt: string): Variant {
  const normalised = prompt.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ');
  const found = Object.entries(keywords).find(([, pattern]) => pattern.test(normalised));
  return (found?.[0] ?? 'generic') as Variant;
}
