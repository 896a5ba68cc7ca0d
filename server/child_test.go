package server_test

func childServer() {}
