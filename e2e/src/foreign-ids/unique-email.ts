import { randomBytes } from 'node:crypto';

export const uniqueEmail = () => `${randomBytes(6).toString('hex')}@example.com`;
