const gmail = new Set(['gmail.com', 'googlemail.com']);

/** The mailbox of an address, in lower case: without its +tag, and at Gmail without dots, which it ignores. */
export function mailboxOf(email: string): string {
  const lower = email.toLowerCase();
  const at = lower.lastIndexOf('@');
  const [host, local] = [lower.slice(at + 1), lower.slice(0, at)];
  const tag = local.indexOf('+');
  // Without a name before it, + is not the start of a tag.
  const name = tag > 0 ? local.slice(0, tag) : local;
  return gmail.has(host) ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${host}`;
}
