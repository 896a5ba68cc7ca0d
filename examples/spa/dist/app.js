// Pages by path: the server responds to all of them with index.html.
const main = document.querySelector("main");
const pages = {
	"/": () => {
		main.innerHTML = "<h1>0</h1><button>Add one</button>";
		main.querySelector("button").onclick = () => fetch("/api/count", { method: "POST" });
		show();
	},
	"/about": () => { main.innerHTML = "<p>A counter that all open pages share.</p>"; },
};

let count = 0;
const show = () => {
	const h1 = main.querySelector("h1");
	if (h1) h1.textContent = count;
};

const route = () => (pages[location.pathname] ?? (() => { main.innerHTML = "<p>There is no such page.</p>"; }))();
document.querySelector("nav").onclick = (event) => {
	if (event.target.tagName !== "A") return;
	event.preventDefault();
	history.pushState(null, "", event.target.href);
	route();
};
window.onpopstate = route;
route();

new EventSource("/api/events").onmessage = (event) => {
	count = Number(event.data);
	show();
};
