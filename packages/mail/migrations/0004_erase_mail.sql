-- Messages to a person whose data is erased.
GRANT DELETE ON platform.mail TO :app;
