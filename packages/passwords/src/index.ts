// Checks passwords: hashes, and a limit on guesses.
export { type LoginLimiter, loginLimiter } from './login-limiter.ts';
export { hashPassword, verifyPassword } from './passwords.ts';
export { connectRedis } from './redis.ts';
