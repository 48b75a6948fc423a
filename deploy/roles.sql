-- Once, as a superuser, before the first `vola migrate`: three roles, and a database for them. The
-- migrations grant the app and the auditor their rights in it.
CREATE ROLE vola_owner LOGIN PASSWORD 'CHANGE-ME-2';
CREATE ROLE vola_app LOGIN PASSWORD 'CHANGE-ME-1';
CREATE ROLE vola_auditor LOGIN PASSWORD 'CHANGE-ME-3';
CREATE DATABASE vola OWNER vola_owner TEMPLATE template0 ENCODING 'UTF8';
REVOKE ALL ON DATABASE vola FROM PUBLIC;
GRANT CONNECT ON DATABASE vola TO vola_owner, vola_app, vola_auditor;
