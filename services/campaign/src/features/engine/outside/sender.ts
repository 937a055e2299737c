import type { Tools } from '../../../handler.ts';

/** The From header of a message: the name of the tenant at the address of the platform. */
export function fromHeader({ mailer }: Pick<Tools, 'mailer'>, tenantName: string): string {
  return `${quoted(tenantName)} <${mailer.address}>`;
}

function quoted(name: string): string {
  return `"${name.replaceAll(/["\\\r\n]/g, '')}"`;
}
