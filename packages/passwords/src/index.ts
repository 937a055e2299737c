// Password hashing, and a rate limit on sign-in attempts.
export { type LoginLimiter, loginLimiter } from './login-limiter.ts';
export { hashPassword, verifyPassword } from './passwords.ts';
export { connectRedis } from './redis.ts';
