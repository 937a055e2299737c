import { text } from './fields.ts';

const domainMax = 253;
const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?';
const domainForm = new RegExp(`^(${label}\\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$`);

/** A domain, in the form in which domains are compared: lower case, punycode, without a final dot. */
export function domain() {
  return text(domainMax)
    .overwrite(comparableDomain)
    .refine((value) => domainForm.test(value) && value.length <= domainMax, {
      error: 'Must be a domain without https:// and without a path, such as example.com',
    })
    .meta({ description: 'The domain of the e-mail addresses of the company', examples: ['example.com'] });
}

/** Lower case and punycode; a text that is not a domain is returned as it is. */
export function comparableDomain(value: string): string {
  const host = value.trim().toLowerCase().replace(/\.$/, '');
  // URL would accept these characters as the user, the port or the path.
  if (!host || /[/:@?#\\%\s]/.test(host)) return host;
  return URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host;
}
